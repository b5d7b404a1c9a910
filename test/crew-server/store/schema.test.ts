import { MIGRATIONS } from '../../../crew-server/src/store/schema';

it.each(MIGRATIONS.map(({ tables }, index) => [index + 1, tables] as const).slice(1))(
	'version %i of the tables has all that servers of earlier ones read and write',
	(_, tables) => {
		expect(tables).not.toMatch(/\b(DROP (TABLE|COLUMN)|RENAME|ALTER COLUMN)\b/i);
		const added = tables.match(/ADD COLUMN[^;]*/gi) ?? [];
		// Those leave it out.
		expect(added.filter((one) => /NOT NULL(?!.*DEFAULT)/i.test(one))).toEqual([]);
	},
);
