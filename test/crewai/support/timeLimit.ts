// A test that starts a project imports CrewAI, on machines that may be slow or have other work. One that hangs ends here.
jest.setTimeout(480_000);
