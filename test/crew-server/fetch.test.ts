it('sends requests of fetch as Node does: fetch was used before a test file can load another undici', () => {
	expect(Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1'))).toBeDefined();
});
