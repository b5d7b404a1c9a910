/** Prints all values of a SQLite database, one a line: `node dump-sqlite.cjs <file>`, with Node 22.13 or newer. */
const { DatabaseSync } = require('node:sqlite');

const database = new DatabaseSync(process.argv[2]);
const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
for (const { name } of tables) {
	for (const row of database.prepare(`SELECT * FROM "${name}"`).iterate()) {
		for (const value of Object.values(row)) {
			process.stdout.write(value instanceof Uint8Array ? value : String(value));
			process.stdout.write('\n');
		}
	}
}
database.close();
