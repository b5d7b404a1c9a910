// A hundred thousand cases take minutes. What has to be quick has limits of its own.
jest.setTimeout(3_600_000);
