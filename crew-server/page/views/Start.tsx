import { useEffect, useRef, useState } from 'preact/hooks';

import { ApiProblem, post } from '../api';
import { go } from '../route';
import type { CrewView } from '../wire';
import {
	asText,
	keepInputs,
	load,
	parseObject,
	typedOf,
	valuesOf,
	type Input,
	type Typed,
	type Values,
} from './inputs';

/** Starts an execution: with a form made of the inputs that the crew expects, or with JSON. */
export function Start({ crew, from }: { crew: CrewView; from?: string }) {
	const [form, setForm] = useState<{ inputs: Input[]; values: Values } | ApiProblem>();
	useEffect(() => {
		load(crew, from).then(setForm, (error: unknown) => {
			setForm(error as ApiProblem);
		});
	}, [from]);
	return (
		<main class="narrow">
			<h1>{from === undefined ? `Start ${crew.name}` : `Run ${crew.name} again`}</h1>
			{crew.description && <p>{crew.description}</p>}
			{crew.warnings?.map((warning) => (
				<p key={warning} class="note">
					{warning}
				</p>
			))}
			{form instanceof ApiProblem ? (
				<p role="alert">{form.message}</p>
			) : (
				form && <Form crew={crew} {...form} />
			)}
		</main>
	);
}

interface FormProps {
	crew: CrewView;
	inputs: Input[];
	values: Values;
}

function Form({ crew, inputs, values }: FormProps) {
	const { typed, setTyped, json, setJson, switchTo, given } = useInputs(inputs, values);
	const [problem, setProblem] = useState<ApiProblem>();
	const [isSending, setIsSending] = useState(false);
	const form = useRef<HTMLFormElement>(null);
	const send = async () => {
		setIsSending(true);
		setProblem(undefined);
		try {
			const answer = await post<{ kickoff_id?: string; id?: string }>('kickoff', {
				inputs: given(),
			});
			keepInputs(crew, given());
			go({ view: 'execution', id: answer.kickoff_id ?? answer.id ?? '', tab: 'timeline' });
		} catch (error) {
			setProblem(error as ApiProblem);
			setIsSending(false);
		}
	};
	useEffect(() => {
		if (problem) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus();
	}, [problem]);
	return (
		<form
			class="card"
			ref={form}
			noValidate
			onSubmit={(event) => {
				event.preventDefault();
				void send();
			}}
		>
			<label class="switch">
				<input
					type="checkbox"
					checked={json !== undefined}
					onChange={({ currentTarget }) => {
						setProblem(switchTo(currentTarget.checked));
						// Text that is not valid JSON stays as it is.
						currentTarget.checked = json !== undefined;
					}}
				/>
				Inputs as JSON
			</label>
			{json !== undefined ? (
				<JsonField json={json} setJson={setJson} />
			) : (
				inputs.map((input) => (
					<Field
						key={input.name}
						input={input}
						text={typed[input.name] ?? ''}
						problem={problem?.inputs[input.name]}
						onText={(text) => {
							setTyped({ ...typed, [input.name]: text });
						}}
					/>
				))
			)}
			{inputs.length === 0 && json === undefined && (
				<p class="faint">The crew expects no inputs.</p>
			)}
			{problem && (
				<p role="alert" class="problem">
					{messageOf(problem, json !== undefined)}
				</p>
			)}
			<div class="buttons">
				<button class="primary" disabled={isSending}>
					{isSending ? 'Starting …' : 'Start'}
				</button>
			</div>
		</form>
	);
}

/** The typed values: in fields, or as JSON. */
function useInputs(inputs: Input[], values: Values) {
	const [typed, setTyped] = useState<Typed>(() => typedOf(inputs, values));
	// Values without a field in the form are kept.
	const [others, setOthers] = useState(values);
	const [json, setJson] = useState<string>();
	const given = () => (json === undefined ? valuesOf(inputs, typed, others) : parseObject(json));
	/** @returns why it is not possible */
	const switchTo = (isJson: boolean): ApiProblem | undefined => {
		try {
			const now = given();
			setTyped(typedOf(inputs, now));
			setOthers(now);
			setJson(isJson ? JSON.stringify(now, null, 2) : undefined);
			return undefined;
		} catch (error) {
			return error as ApiProblem;
		}
	};
	return { typed, setTyped, json, setJson, switchTo, given };
}

function JsonField({ json, setJson }: { json: string; setJson: (json: string) => void }) {
	return (
		<label>
			<span>Inputs</span>
			<textarea
				class="code"
				rows={12}
				spellcheck={false}
				value={json}
				onInput={({ currentTarget }) => {
					setJson(currentTarget.value);
				}}
			/>
		</label>
	);
}

/** What is already shown next to a field is not repeated. */
function messageOf({ message, inputs }: ApiProblem, isJson: boolean): string {
	const fields = Object.entries(inputs);
	if (fields.length === 0 || !isJson) return message;
	return `${message}: ${fields.map(([name, text]) => `${name} ${text}`).join(', ')}`;
}

interface FieldProps {
	input: Input;
	text: string;
	problem?: string;
	onText: (text: string) => void;
}

function Field({ input, text, problem, onText }: FieldProps) {
	const { name, type, isRequired, description, example } = input;
	const id = `input-${name}`;
	const notes = [problem && `${id}-problem`, description && `${id}-note`].filter(Boolean).join(' ');
	const common = {
		id,
		'aria-describedby': notes || undefined,
		'aria-invalid': problem !== undefined,
		'aria-required': isRequired,
		placeholder: example === undefined ? undefined : asText(example),
		value: text,
		onInput: ({ currentTarget }: { currentTarget: { value: string } }) => {
			onText(currentTarget.value);
		},
	};
	return (
		<div class="field">
			<label for={id}>
				<span>
					{name}{' '}
					<span class="faint">
						{type}
						{isRequired ? ', required' : ''}
					</span>
				</span>
			</label>
			{type === 'boolean' ? (
				<select {...common}>
					<option value="">{isRequired ? 'Choose' : 'Not given'}</option>
					<option value="true">true</option>
					<option value="false">false</option>
				</select>
			) : type === 'integer' || type === 'number' ? (
				<input {...common} inputMode={type === 'integer' ? 'numeric' : 'decimal'} />
			) : (
				<textarea
					{...common}
					rows={type === 'string' ? Math.min(8, 1 + Math.floor(text.length / 60)) : 4}
					class={type === 'string' ? undefined : 'code'}
					spellcheck={type === 'string'}
				/>
			)}
			{problem && (
				<p class="problem" id={`${id}-problem`}>
					{problem}
				</p>
			)}
			{description && (
				<p class="faint" id={`${id}-note`}>
					{description}
				</p>
			)}
		</div>
	);
}
