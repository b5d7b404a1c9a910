/** Locks a SQLite database against writers: `node lockSqlite.cjs <file> <milliseconds>`, with Node 22.13 or newer. */
const { DatabaseSync } = require('node:sqlite');

const [, , file, milliseconds] = process.argv;
const database = new DatabaseSync(file);
database.exec('PRAGMA busy_timeout = 60000');
database.exec('BEGIN EXCLUSIVE');
process.stdout.write('locked\n');
setTimeout(() => {
	database.exec('ROLLBACK');
	database.close();
}, Number(milliseconds));
