import { INPUT_TYPES, isFlow, ON_INTERRUPT, type CrewDescription } from '../../domain/crew';
import type { Children, Imported } from './children';
import type { Printed } from './host';
import type { Report } from './protocol';

export interface DescribedCrew {
	crew: CrewDescription;
	/** Whether building the crew has no side effects. */
	buildsEarly: boolean;
	/** What the host reported about the import. */
	imported: Imported;
	/** What the child reported about the crew. */
	described: Report<'described'>;
	/** Seconds until it had reported that. */
	buildSeconds: number;
}

/**
 * Makes a child build and describe the crew.
 *
 * @throws {Error} if it cannot be built
 */
export async function describeCrew(
	children: Children,
	folder: string,
	onPrinted: Printed,
): Promise<DescribedCrew> {
	const since = performance.now();
	const child = children.start();
	child.onPrinted(onPrinted);
	const told = new Promise<Report<'described'>>((resolve, reject) => {
		const refuse = (why: string) => {
			reject(new Error(`The crew in ${folder} cannot be built: ${why}`));
		};
		child.onReport((report) => {
			if (report.type === 'described') resolve(report);
			if (report.type !== 'failed') return;
			child.send({ type: 'acknowledged', number: report.number });
			refuse(report.error);
		});
		void child.exited.then(({ lines }) => {
			refuse(`its process ended.\n${lines.join('\n')}`);
		});
	});
	child.send({ type: 'describe' });
	const described = await told;
	const imported = await children.about();
	return {
		crew: crewOf(described, noteOn(imported)),
		buildsEarly: described.builds_early,
		imported,
		described,
		buildSeconds: (performance.now() - since) / 1000,
	};
}

function noteOn({ shares_memory, seconds, unshareable }: Imported): string[] {
	if (shares_memory) return [];
	const where = unshareable.length === 0 ? '' : ` (${unshareable.join(', ')})`;
	const longer = seconds.reduce((sum, one) => sum + one, 0).toFixed(0);
	return [
		`Importing the project starts threads, opens connections or databases, reads the clock, or registers what to do at the end${where}, so each execution gets its own Python process: it starts ${longer} s later, and needs more memory.`,
	];
}

function crewOf(described: Report<'described'>, notes: string[]): CrewDescription {
	const { name, kind, tasks, inputs, has_hooks, warnings, persists } = described;
	const isState = (input: { name: string }) => isFlow({ kind }) && input.name === 'id';
	return {
		name,
		kind,
		persists,
		declaresId: inputs.some(isState),
		warnings: [...warnings, ...notes],
		inputs: inputs
			.filter((input) => !isState(input))
			.map((input) => {
				const type = INPUT_TYPES.find((one) => one === input.type);
				return {
					name: input.name,
					type: type ?? 'string',
					required: input.required,
					description: input.description ?? undefined,
					default: input.default ?? undefined,
					examples: input.examples.length > 0 ? input.examples : undefined,
					takesAnyValue: type === undefined,
				};
			}),
		tasks: tasks.map((task) => ({
			name: task.name,
			description: task.description,
			expectedOutput: task.expected_output,
			agent: task.agent,
			humanInput: task.human_input,
			onInterrupt: ON_INTERRUPT.find((one) => one === task.on_interrupt),
			// Hooks may change the inputs, so only the child knows where such a file goes.
			outputFile: has_hooks ? undefined : (task.output_file ?? undefined),
		})),
	};
}
