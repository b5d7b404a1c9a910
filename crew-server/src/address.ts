import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Whether only this machine reaches an address. */
export function isLoopback(host: string): boolean {
	return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Importing a project takes long: that its port is taken is found out before. */
export async function probe(host: string, port: number): Promise<void> {
	if (port === 0) return;
	const server = createServer().listen({ host, port });
	await once(server, 'listening');
	server.close();
	await once(server, 'close');
}

/** Where clients find it: what listens at all addresses is named by one that others can use, too. */
export function urlOf({ address, family, port }: AddressInfo): string {
	if (address === '0.0.0.0' || address === '::') {
		const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
		const outer = all.find((one) => one.family === 'IPv4' && !one.internal);
		return `http://${outer?.address ?? '127.0.0.1'}:${port}`;
	}
	return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
