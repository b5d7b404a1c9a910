// For all tests but fuzzing: they use real servers and child processes, on machines that may be slow or busy. This
// ends a test that hangs; tests of speed have their own limits.
jest.setTimeout(60_000);
