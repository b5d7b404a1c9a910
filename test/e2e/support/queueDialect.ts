/** Makes every crew server of a test file use the dialect of deployments on a task queue. */
process.env.CREW_DIALECT = 'queue';
