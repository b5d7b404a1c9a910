// For all but fuzzing: real servers and child processes, on machines that may be slow or have other work. A test that
// hangs ends here; what has to be quick has limits of its own.
jest.setTimeout(60_000);
