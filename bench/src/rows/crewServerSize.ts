import { limit, type Row } from '../row';
import { packageSize } from '../sides/crewServerPackage';

export const crewServerSize: Row = {
	name: 'crew-server-size',
	what: () => 'size of the crew server’s package, unpacked',
	unit: 'kB',
	start: 'cold',
	ours: packageSize,
	beside: limit(() => 400),
	target: { most: 1 },
	size: 1,
	isCount: true,
};
