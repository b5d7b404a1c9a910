/** Sets the crew server's version at a release: both packages are released together. */
const { readFileSync, writeFileSync } = require('node:fs');

const [version] = process.argv.slice(2);

function change(file, set) {
	const content = JSON.parse(readFileSync(file, 'utf8'));
	set(content);
	writeFileSync(file, `${JSON.stringify(content, null, '\t')}\n`);
}

change('crew-server/package.json', (manifest) => {
	manifest.version = version;
});
change('package-lock.json', ({ packages }) => {
	packages['crew-server'].version = version;
});
