// A hundred thousand cases take minutes. Tests of speed have their own limits.
jest.setTimeout(3_600_000);
