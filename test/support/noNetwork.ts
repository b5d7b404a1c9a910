import nock from 'nock';

/**
 * For every test file: requests go to nock or, where a test allows it, to this machine, and nock's hold
 * on Node's modules, which all files of a worker share, ends with the file.
 */
beforeAll(() => {
	if (!nock.isActive()) nock.activate();
	nock.disableNetConnect();
});

afterEach(() => {
	nock.cleanAll();
	nock.disableNetConnect();
});

afterAll(() => {
	nock.restore();
});
