import { MIGRATIONS } from '../../../crew-server/src/store/schema';

it.each(MIGRATIONS.map(({ tables }, index) => [index + 1, tables] as const).slice(1))(
	'version %i of the tables has everything that servers of earlier versions read and write',
	(_, tables) => {
		expect(tables).not.toMatch(/\b(DROP (TABLE|COLUMN)|RENAME|ALTER COLUMN)\b/i);
		const added = tables.match(/ADD COLUMN[^;]*/gi) ?? [];
		// Earlier servers do not write the new columns.
		expect(added.filter((one) => /NOT NULL(?!.*DEFAULT)/i.test(one))).toEqual([]);
	},
);
