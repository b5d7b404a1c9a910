/** n8n also writes every error of a node to the console, which would hide the tests' own output. */
process.env.N8N_LOG_LEVEL = 'silent';
