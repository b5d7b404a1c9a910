/** n8n writes every refusal of a node on the console as well, where it would hide what a test has to say. */
process.env.N8N_LOG_LEVEL = 'silent';
