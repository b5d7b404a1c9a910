import nock from 'nock';

// It takes hold when it is loaded. A test file that cannot be loaded would never let go.
nock.restore();

/**
 * For every test file: requests go to nock or, where a test allows it, to this machine, and nock's hold
 * on Node's modules, which all files of a worker share, ends with the file.
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
