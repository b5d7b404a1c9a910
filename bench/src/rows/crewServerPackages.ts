import { limit, type Row } from '../row';
import { dependencies } from '../sides/crewServerPackage';

export const crewServerPackages: Row = {
	name: 'crew-server-packages',
	what: () => 'packages that are installed with the crew server',
	unit: '',
	start: 'cold',
	ours: dependencies,
	beside: limit(() => 75),
	target: { most: 1 },
	size: 1,
	isCount: true,
};
