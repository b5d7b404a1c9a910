// Includes the start of n8n, or of three in queue mode, on a busy machine. A jest project has no setting for this.
jest.setTimeout(600_000);
