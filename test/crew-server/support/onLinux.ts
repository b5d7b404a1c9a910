/** Only Linux can limit a running process. */
export const onLinux = process.platform === 'linux' ? it : it.skip;
