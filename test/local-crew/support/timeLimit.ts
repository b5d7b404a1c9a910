// Real servers and megabytes, on machines that may have other work. What has to be quick has limits of its own.
jest.setTimeout(60_000);
