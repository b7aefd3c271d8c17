// Which addresses the service may call on a user's behalf. The rules for IPv6 are an allowlist (global unicast minus
// exceptions), so a range that is reserved tomorrow is rejected today.
import { type LookupAddress, promises as systemDns } from 'node:dns';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { addressRefused, OutboundError } from './outbound-error.ts';

export interface OutboundAllow {
  allows(ip: string, port: number): boolean;
}

export type OutboundLookup = (hostname: string) => Promise<LookupAddress[]>;

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

const ranges = (...texts: string[]): Range[] => texts.map((text) => ipaddr.parseCIDR(text));
const isIn = (address: Address, [base, bits]: Range): boolean =>
  address.kind() === base.kind() && address.match(base, bits);
const isInAny = (address: Address, list: Range[]): boolean => list.some((range) => isIn(address, range));

const notGlobal4 = ranges(
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.168.0.0/16', '224.0.0.0/4', '240.0.0.0/4'],
  // Documentation, benchmarking, IETF assignments, retired 6to4 relays, AS112 sinks, AMT relays.
  ...['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '198.18.0.0/15', '192.0.0.0/24'],
  ...['192.88.99.0/24', '192.31.196.0/24', '192.175.48.0/24', '192.52.193.0/24'],
  // Formally public, but served only inside Azure, by the host that configures the virtual machine.
  '168.63.129.16/32',
);

const globalUnicast6 = ranges('2000::/3');
const notGlobal6 = ranges(
  // All IETF assignments: Teredo, benchmarking, AMT, AS112, ORCHID, ORCHIDv2, drone ids.
  '2001::/23',
  // 6to4 is rejected outright, not judged by its embedded address: it is deprecated since RFC 7526.
  ...['2002::/16', '2001:db8::/32', '3fff::/20', '2620:4f:8000::/48'],
);
// A service on an IPv6-only network reaches IPv4 through this prefix, so the embedded address decides. An operator's
// own NAT64 prefix cannot be known; 64:ff9b:1::/48 is for local use and is rejected.
const nat64 = ranges('64:ff9b::/96');
const linkLocal = ranges('169.254.0.0/16', 'fe80::/10');

/** Where IPv6 forms keep their embedded IPv4 address, as byte offsets. */
const carriers: [Range[], number][] = [
  [ranges('64:ff9b::/96', '::/96', '::ffff:0:0:0/96'), 12],
  [ranges('2002::/16'), 2],
];

function carriedAddress(address: Address): Address | null {
  const offset = carriers.find(([list]) => isInAny(address, list))?.[1];
  if (offset === undefined) return null;
  return ipaddr.fromByteArray(address.toByteArray().slice(offset, offset + 4));
}

/** Returns IPv4-mapped addresses as the IPv4 address that the system would connect to. */
function parseAddress(ip: string): Address | null {
  if (isIP(ip) === 0) return null;
  let text = ip.replace(/%.*$/, '');
  if (text.includes(':')) {
    // ipaddr.js reads ::1.2.3.4 as ::ffff:1.2.3.4, and resolvers print compatible addresses in that form.
    text = text.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: string[]) => {
      const [a, b, c, d] = bytes.slice(0, 4).map(Number) as [number, number, number, number];
      return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
    });
  }
  return ipaddr.process(text);
}

/** ISATAP embeds an IPv4 address in the interface identifier (0:5efe or 200:5efe) under any prefix. */
const isIsatap = (address: ipaddr.IPv6): boolean =>
  ((address.parts[4] ?? 0) & 0xfcff) === 0 && address.parts[5] === 0x5efe;

function isGlobal(address: Address): boolean {
  if (address instanceof ipaddr.IPv4) return !isInAny(address, notGlobal4);
  if (isInAny(address, nat64)) return isGlobal(carriedAddress(address) as ipaddr.IPv4);
  return isInAny(address, globalUnicast6) && !isInAny(address, notGlobal6) && !isIsatap(address);
}

export function isGloballyRoutable(ip: string): boolean {
  const address = parseAddress(ip);
  return address !== null && isGlobal(address);
}

export const isIpAddress = (text: string): boolean => isIP(text) !== 0;

export function mayReach(ip: string, port: number, allow: OutboundAllow): boolean {
  return isGloballyRoutable(ip) || allow.allows(ip, port);
}

function parseAllowEntry(entry: string): { range: Range; port: number | null } {
  const wrong = (why: string) => new Error(`"${entry}" ${why}`);
  const [, ip, bitsText, portText] = /^\[([^\]]+)\](?:\/(\d{1,3}))?(?::(\d{1,5}))?$/.exec(entry) ??
    /^([^[\]/]+)\/(\d{1,3})(?::(\d{1,5}))?$/.exec(entry) ??
    /^([\d.]+)()(?::(\d{1,5}))$/.exec(entry) ?? ['', entry];
  const address = ip && !ip.includes('%') ? parseAddress(ip) : null;
  if (!ip || !address)
    throw wrong('is not an address range such as 10.1.0.0/16, 10.1.2.3/32:8080 or [::1]/128:8080');

  const written = isIP(ip) === 6 ? 128 : 32;
  let bits = bitsText ? Number(bitsText) : written;
  if (bits > written) throw wrong(`has a prefix longer than ${written} bits`);
  const size = address.kind() === 'ipv6' ? 128 : 32;
  bits -= written - size;
  if (bits < 0) throw wrong('mixes IPv4 and IPv6: list both ranges');

  const port = portText ? Number(portText) : null;
  if (port !== null && (port < 1 || port > 65535)) throw wrong('has a port outside 1 to 65535');

  // Link-local addresses include the cloud's metadata services, which hand out credentials: no setting allows them.
  const overlaps = ([base, baseBits]: Range) => isIn(address, [base, Math.min(bits, baseBits)]);
  if (linkLocal.some(overlaps)) throw wrong('covers link-local addresses, which are never allowed');
  return { range: [address, bits], port };
}

export function parseOutboundAllow(text: string): OutboundAllow {
  const entries = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(parseAllowEntry);
  return {
    allows(ip, port) {
      const address = parseAddress(ip);
      if (!address) return false;
      if (isLinkLocal(address)) return false;
      return entries.some((entry) => (entry.port ?? port) === port && isIn(address, entry.range));
    },
  };
}

/** The only parser of configured addresses. Every later step uses the same one, so none can see another host. */
export function readHttpUrl(text: string): { url: URL; reason: null } | { url: null; reason: string } {
  // The parser would drop tabs and newlines and flip backslashes; both occur only in mistakes and attacks.
  const url = /[\p{Cc}\\]/u.test(text) ? null : URL.parse(text);
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    return { url: null, reason: 'must be a valid http or https address' };
  }
  if (url.username || url.password) return { url: null, reason: 'must not contain a user name or password' };
  return { url, reason: null };
}

export const portOf = (url: URL): number => Number(url.port) || (url.protocol === 'https:' ? 443 : 80);

const loopbackName =
  /^(.+\.)?localhost$|^localhost\.localdomain$|^localhost6(\.localdomain6)?$|^ip6-(localhost|loopback)$/i;
const loopback: LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

export const systemLookup: OutboundLookup = (hostname) => systemDns.lookup(hostname, { all: true });

/**
 * The addresses of a name. One rejected address rejects the whole name, even beside public ones: a name that mixes
 * them waits until the private one is picked. Names of the machine itself are never resolved, and only there one
 * allowed loopback address of two is enough.
 */
export async function resolveAllowed(
  hostname: string,
  port: number,
  allow: OutboundAllow,
  lookup: OutboundLookup = systemLookup,
): Promise<LookupAddress[]> {
  const reachable = ({ address }: LookupAddress) => mayReach(address, port, allow);
  if (loopbackName.test(hostname.replace(/\.$/, ''))) {
    const allowed = loopback.filter(reachable);
    if (allowed.length === 0) throw addressRefused();
    return allowed;
  }
  const found = await lookup(hostname).catch((error: unknown) => {
    throw new OutboundError('DNS', 'the name does not resolve', { cause: error });
  });
  if (found.length === 0) throw new OutboundError('DNS', 'the name does not resolve');
  if (!found.every(reachable)) throw addressRefused();
  return found;
}

const isLinkLocal = (address: Address): boolean =>
  [address, carriedAddress(address)].some((each) => each !== null && isInAny(each, linkLocal));

/**
 * Says what to do about a rejected address, without the resolved address: the message must not map an internal
 * network.
 */
function refusalOf(host: string, port: number): string {
  const refused = 'must not point to a private or reserved network address';
  const isOwnName = loopbackName.test(host.replace(/\.$/, ''));
  const address = parseAddress(isOwnName ? '127.0.0.1' : host);
  if (address === null) {
    return `${refused}. To allow it, add the address of ${host} to the service's OUTBOUND_ALLOW setting, for example 10.1.2.3/32:${port}`;
  }
  if (isLinkLocal(address)) return `${refused}. Link-local addresses cannot be allowed`;
  const entry = address.kind() === 'ipv6' ? `[${address}]/128:${port}` : `${address}/32:${port}`;
  return `${refused}. To allow it, add ${entry} to the service's OUTBOUND_ALLOW setting`;
}

/** Null: it is an https address. Without TLS only addresses are called that the operator of the instance has allowed. */
export function httpsProblem(text: string, allow: OutboundAllow): string | null {
  const { url } = readHttpUrl(text);
  if (url?.protocol === 'https:') return null;
  const host = url?.hostname.replace(/^\[|\]$/g, '') ?? '';
  return url && isIP(host) && allow.allows(host, portOf(url)) ? null : 'must be an https address';
}

const CONFIGURATION_LOOKUP_MS = 2000;

/**
 * Says at configuration time what is wrong with an address ("must …"), or null. Names that do not resolve (yet) pass:
 * the check that counts runs at every connection.
 */
export async function checkOutboundUrl(
  text: string,
  allow: OutboundAllow,
  lookup: OutboundLookup = systemLookup,
): Promise<string | null> {
  const { url, reason } = readHttpUrl(text);
  if (!url) return reason;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const refused = refusalOf(host, portOf(url));
  if (isIP(host)) return mayReach(host, portOf(url), allow) ? null : refused;

  let timer: NodeJS.Timeout | undefined;
  const tooSlow = new Promise<null>((resolve) => {
    timer = setTimeout(resolve, CONFIGURATION_LOOKUP_MS, null);
  });
  const verdict = resolveAllowed(host, portOf(url), allow, lookup).then(
    () => null,
    (error: unknown) => (error instanceof OutboundError && error.code === 'ADDRESS_REFUSED' ? refused : null),
  );
  return Promise.race([verdict, tooSlow]).finally(() => clearTimeout(timer));
}
