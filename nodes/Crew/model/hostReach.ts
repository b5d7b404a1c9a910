/** From how far away a host can be reached: this machine, its own network, everywhere. */
const REACHES = ['loopback', 'private', 'public'] as const;
export type HostReach = (typeof REACHES)[number];

/** Names by which containers reach the machine that they run on. */
const HOST_OF_CONTAINER = new Set(['host.docker.internal', 'gateway.docker.internal']);
const PRIVATE_SUFFIX = /\.(local|lan|home|internal|intranet|home\.arpa|localdomain)$/;

/** Decides from the name or address alone, without a request, how far away `url` can be reached. */
export function hostReach(url: string): HostReach {
	const host = new URL(url).hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
	if (host.includes(':')) return reachOfIpv6(host);
	if (/^\d+\.\d+\.\d+\.\d+$/.test(host)) return reachOfIpv4(host.split('.').map(Number));
	if (host === 'localhost' || host.endsWith('.localhost') || HOST_OF_CONTAINER.has(host)) {
		return 'loopback';
	}
	return PRIVATE_SUFFIX.test(host) || !host.includes('.') ? 'private' : 'public';
}

/** RFC 1122, 1918, 3927 and 6598. */
function reachOfIpv4([a = 0, b = 0]: number[]): HostReach {
	if (a === 127 || a === 0) return 'loopback';
	const isPrivate =
		a === 10 ||
		(a === 172 && b >= 16 && b <= 31) ||
		(a === 192 && b === 168) ||
		(a === 169 && b === 254) ||
		(a === 100 && b >= 64 && b <= 127);
	return isPrivate ? 'private' : 'public';
}

/** RFC 4193 and 4291; the URL parser has already written addresses in their one short form. */
function reachOfIpv6(host: string): HostReach {
	if (host === '::1' || host === '::') return 'loopback';
	const mapped = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(host);
	if (mapped) {
		const [high, low] = [mapped[1], mapped[2]].map((part) => parseInt(part ?? '0', 16));
		return reachOfIpv4([(high ?? 0) >> 8, (high ?? 0) & 255, (low ?? 0) >> 8, (low ?? 0) & 255]);
	}
	return /^(f[cd]|fe[89ab])/.test(host) ? 'private' : 'public';
}

/** Whether a server at `fromUrl` can be expected to reach `toUrl`. */
export function canReach(fromUrl: string, toUrl: string): boolean {
	return REACHES.indexOf(hostReach(toUrl)) >= REACHES.indexOf(hostReach(fromUrl));
}
