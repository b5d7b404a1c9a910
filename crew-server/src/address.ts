import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Whether an address can be reached only from this machine. */
export function isLoopback(host: string): boolean {
	return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Checks that the port is free before the project is imported, which takes long. */
export async function probe(host: string, port: number): Promise<void> {
	if (port === 0) return;
	const server = createServer().listen({ host, port });
	await once(server, 'listening');
	server.close();
	await once(server, 'close');
}

/** The URL for clients. If it listens at all addresses, one that other machines can use. */
export function urlOf({ address, family, port }: AddressInfo): string {
	if (address === '0.0.0.0' || address === '::') {
		const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
		const outer = all.find((one) => one.family === 'IPv4' && !one.internal);
		return `http://${outer?.address ?? '127.0.0.1'}:${port}`;
	}
	return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
