import { Agent } from 'undici';

it('sends requests of fetch as Node does, whatever a test file loads', () => {
	const dispatcher: unknown = Reflect.get(globalThis, Symbol.for('undici.globalDispatcher.1'));
	expect(dispatcher).toBeDefined();
	expect(dispatcher).not.toBeInstanceOf(Agent);
});
