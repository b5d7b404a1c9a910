import nock from 'nock';

// nock is active as soon as it is loaded, and would stay active after a test file that cannot be loaded.
nock.restore();

/**
 * For every test file: requests go to nock or, if a test allows it, to this machine. nock's changes to Node's
 * modules, which all files of a worker share, are undone after each file.
 */
beforeAll(() => {
	nock.activate();
	nock.disableNetConnect();
});

afterEach(() => {
	nock.cleanAll();
	nock.disableNetConnect();
});

afterAll(() => {
	nock.restore();
});
