/**
 * The arrows of docs/architecture.md, checked by `npm run lint`: each folder of the node may import itself and the folders
 * named here. A folder that is not named may be imported by none.
 */
const mayKnow = {
	operations: ['waiting', 'callbacks', 'n8n', 'api', 'model'],
	waiting: ['n8n', 'api', 'model'],
	trigger: ['callbacks', 'n8n', 'api', 'model'],
	callbacks: ['n8n', 'api', 'model'],
	n8n: ['api', 'pacing', 'model'],
	api: ['pacing', 'model'],
	pacing: [],
	model: [],
};

/** The same for the crew server's folders; files outside of them connect them. */
const serverMayKnow = {
	simulator: ['api', 'delivery', 'worker', 'store', 'domain'],
	page: ['api', 'store', 'domain'],
	api: ['store', 'domain'],
	worker: ['store', 'domain'],
	delivery: ['store', 'domain'],
	store: ['domain'],
	domain: [],
};

const layersOf = (root, rooms, shared) =>
	Object.entries(rooms).map(([folder, known]) => ({
		name: `${folder}-knows-only-what-is-below`,
		comment: `${folder}/ may import only from ${[folder, ...known].join('/, ')}/`,
		severity: 'error',
		from: { path: `^${root}/${folder}/` },
		to: {
			path: '^(nodes|credentials|crew-server)/',
			pathNot: [`^${root}/(${[folder, ...known].join('|')})/`, ...shared],
		},
	}));

const layers = [
	...layersOf('nodes/Crew', mayKnow, []),
	...layersOf('crew-server/src', serverMayKnow, ['^crew-server/src/(log|installation)\\.ts$']),
];

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
	forbidden: [
		...layers,
		{
			name: 'an-operation-knows-no-other-operation',
			comment: 'Only operations/index.ts knows the operations by name',
			severity: 'error',
			from: { path: '^nodes/Crew/operations/', pathNot: '^nodes/Crew/operations/index\\.ts$' },
			to: {
				path: '^nodes/Crew/operations/(getInputs|getStatus|kickoff|resume|stop)\\.ts$',
			},
		},
		{
			name: 'the-model-does-no-io',
			comment: 'model/ knows neither n8n nor Node: types only',
			severity: 'error',
			from: { path: '^nodes/Crew/model/' },
			to: { pathNot: '^nodes/Crew/model/', dependencyTypesNot: ['type-only'] },
		},
		{
			name: 'the-domain-does-no-io',
			comment: 'domain/ knows only its own files: no clock, no timers, no Node',
			severity: 'error',
			from: { path: '^crew-server/src/domain/' },
			to: { pathNot: '^crew-server/src/domain/' },
		},
		{
			name: 'the-credential-knows-the-model-only',
			severity: 'error',
			from: { path: '^credentials/' },
			to: { path: '^nodes/', pathNot: '^nodes/Crew/model/' },
		},
		{
			name: 'the-package-stands-alone',
			comment: 'What is published needs nothing but n8n-workflow and node:crypto',
			severity: 'error',
			from: { path: '^(nodes|credentials)/' },
			to: {
				pathNot: ['^(nodes|credentials)/', '^node_modules/n8n-workflow/', '^(node:)?crypto$'],
			},
		},
		{
			name: 'the-crew-server-stands-alone',
			comment: 'The crew server is held against the specification, not against the node',
			severity: 'error',
			from: { path: '^crew-server/' },
			to: { path: '^(nodes|credentials|sandbox|test)/' },
		},
		{
			name: 'the-page-in-browsers-stands-alone',
			comment: 'What runs in browsers knows of the server only how its answers look',
			severity: 'error',
			from: { path: '^crew-server/page/' },
			to: { path: '^crew-server/src/', dependencyTypesNot: ['type-only'] },
		},
		{
			name: 'helpers-know-no-tests',
			severity: 'error',
			from: { path: '^(nodes|credentials|crew-server|sandbox)/' },
			to: { path: '^test/' },
		},
		{
			name: 'no-circles',
			severity: 'error',
			from: {},
			to: { circular: true },
		},
		{
			name: 'no-unresolvable',
			severity: 'error',
			from: {},
			// A module of n8n's Node.js; ours may be older.
			to: { couldNotResolve: true, pathNot: '^node:sqlite$' },
		},
	],
	options: {
		tsConfig: { fileName: 'tsconfig.json' },
		tsPreCompilationDeps: true,
		doNotFollow: { path: 'node_modules' },
		exclude: { path: '^((crew-server/)?dist|\\.sandbox)/' },
	},
};
