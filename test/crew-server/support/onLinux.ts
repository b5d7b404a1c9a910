/** Only there can a process be given a limit while it runs. */
export const onLinux = process.platform === 'linux' ? it : it.skip;
