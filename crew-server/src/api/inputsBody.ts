import type { CrewInput } from '../domain/crew';
import type { Aspects } from './aspects';

/** The answer of `GET /inputs` in the shape that the deployment speaks. */
export function inputsBody(
	inputs: readonly CrewInput[],
	{ inputsShape, inputsWrapper }: Aspects,
): unknown {
	const shaped = {
		names: () => inputs.map(({ name }) => name),
		types: () => Object.fromEntries(inputs.map(({ name, type }) => [name, type])),
		objects: () =>
			inputs.map(({ name, type, required, description, examples, ...input }) => ({
				name,
				type,
				required,
				description,
				default: input.default,
				examples,
			})),
	}[inputsShape]();
	return inputsWrapper === 'inputs' ? { inputs: shaped } : shaped;
}
