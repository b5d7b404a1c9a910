module.exports = globalThis.requireOnce('n8n-core');
