module.exports = globalThis.requireOnce('n8n-workflow');
