// Includes the start of n8n, in queue mode of three of them, on a machine that is busy. A project of jest's has no setting for it.
jest.setTimeout(600_000);
