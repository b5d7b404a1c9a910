// Includes the start of n8n, in queue mode of three of them. A project of jest's has no setting for it.
jest.setTimeout(300_000);
