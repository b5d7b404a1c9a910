/** Lets every crew server of a test file speak as deployments on a task queue do. */
process.env.CREW_DIALECT = 'queue';
