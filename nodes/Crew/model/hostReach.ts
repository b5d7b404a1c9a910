/** From how far away a host can be reached: this machine, its own network, everywhere. */
const REACHES = ['loopback', 'private', 'public'] as const;
export type HostReach = (typeof REACHES)[number];

/** Names by which containers reach the machine that they run on. */
const HOST_OF_CONTAINER = new Set(['host.docker.internal', 'gateway.docker.internal']);
const PRIVATE_SUFFIX = /\.(local|lan|home|internal|intranet|home\.arpa|localdomain)$/;

/** RFC 1122. */
const LOOPBACK_IPV4 = /^(0|127)\./;
/** RFC 1918, 3927 and 6598. */
const PRIVATE_IPV4 =
	/^(10|192\.168|172\.(1[6-9]|2\d|3[01])|169\.254|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\./;

/** Decides from the name or address alone, without a request, how far away `url` can be reached. */
export function hostReach(url: string): HostReach {
	const host = new URL(url).hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
	if (host.includes(':')) return reachOfIpv6(host);
	if (/^\d+(\.\d+){3}$/.test(host)) return reachOfIpv4(host);
	if (host === 'localhost' || host.endsWith('.localhost') || HOST_OF_CONTAINER.has(host)) {
		return 'loopback';
	}
	return PRIVATE_SUFFIX.test(host) || !host.includes('.') ? 'private' : 'public';
}

function reachOfIpv4(host: string): HostReach {
	if (LOOPBACK_IPV4.test(host)) return 'loopback';
	return PRIVATE_IPV4.test(host) ? 'private' : 'public';
}

/** RFC 4193 and 4291; the URL parser has already written addresses in their one short form. */
function reachOfIpv6(host: string): HostReach {
	if (host === '::1' || host === '::') return 'loopback';
	const mapped = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(host)?.slice(1);
	const words = mapped?.map((word) => parseInt(word, 16));
	if (words) return reachOfIpv4(words.flatMap((word) => [word >> 8, word & 255]).join('.'));
	return /^(f[cd]|fe[89ab])/.test(host) ? 'private' : 'public';
}

/** Whether a server at `fromUrl` can be expected to reach `toUrl`. */
export function canReach(fromUrl: string, toUrl: string): boolean {
	return REACHES.indexOf(hostReach(toUrl)) >= REACHES.indexOf(hostReach(fromUrl));
}
