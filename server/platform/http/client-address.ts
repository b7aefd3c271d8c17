/**
 * The client's address: that of the connection, unless the peer is a proxy listed in TRUST_PROXY. Logins, the
 * widget's limits, the list of login sessions and logs all use it. Nothing else reads X-Forwarded-For.
 */
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
export type AddressRange = [network: Address, bits: number];

const unknownAddress = 'unknown';
const mappedBits = 96;

/** Reads TRUST_PROXY: comma-separated CIDRs; an address without a prefix means itself. */
export function parseRanges(text: string): AddressRange[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(parseRange);
}

export function parseRange(text: string): AddressRange {
  const [, ip = '', bitsText] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const written = ip.includes(':') ? 128 : 32;
  const bits = bitsText === undefined ? written : Number(bitsText);
  const network = readAddress(ip);
  if (!network || bits > written) {
    throw new Error(`must be CIDRs such as 10.0.0.0/8, 2001:db8::/32, not "${text}"`);
  }
  // ::ffff:10.0.0.0/104 is 10.0.0.0/8.
  const isMapped = written === 128 && network.kind() === 'ipv4';
  if (isMapped && bits < mappedBits) throw new Error(`"${text}" mixes IPv4 and IPv6: list both ranges`);
  return [network, isMapped ? bits - mappedBits : bits];
}

/**
 * The last address of X-Forwarded-For that is not a trusted proxy. Each proxy appends the address it was called from,
 * so everything left of that entry is what the client claims.
 */
export function clientAddress(
  peer: string | undefined,
  forwardedFor: string | string[] | undefined,
  trusted: readonly AddressRange[],
): string {
  let nearest = readAddress(peer);
  if (!nearest) return unknownAddress;
  const reported = String(forwardedFor ?? '').split(',');
  while (isInAny(nearest, trusted)) {
    const next = readAddress(reported.pop());
    if (!next) break;
    nearest = next;
  }
  return nearest.toString();
}

/** The key of limits per address. An IPv6 network of 64 bits is one client: it can use every address in it. */
export function addressToCount(address: string): string {
  const read = readAddress(address);
  if (!(read instanceof ipaddr.IPv6)) return address;
  const network = read.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}

/** An address that is not known is in no range. */
export function isAddressIn(address: string, ranges: readonly AddressRange[]): boolean {
  const read = readAddress(address);
  return read !== null && isInAny(read, ranges);
}

/** Whether all addresses of `inner` are in one of `ranges`. */
export function isRangeIn([network, bits]: AddressRange, ranges: readonly AddressRange[]): boolean {
  return ranges.some((outer) => bits >= outer[1] && isInAny(network, [outer]));
}

/** `10.1.2.3/8` becomes `10.0.0.0/8`. */
export function rangeText([network, bits]: AddressRange): string {
  const bytes = network.toByteArray().map((byte, at) => {
    const kept = Math.min(8, Math.max(0, bits - at * 8));
    return byte & (0xff << (8 - kept)) & 0xff;
  });
  return `${ipaddr.fromByteArray(bytes)}/${bits}`;
}

function isInAny(address: Address, ranges: readonly AddressRange[]): boolean {
  return ranges.some(([network, bits]) => address.kind() === network.kind() && address.match(network, bits));
}

/** Also with a port, as some proxies write it. IPv4-mapped IPv6 becomes IPv4. */
function readAddress(text: string | undefined): Address | null {
  const trimmed = text?.trim() ?? '';
  const plain =
    /^\[([^\]]+)\](?::\d+)?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/.exec(trimmed)?.[1] ?? trimmed;
  const isAddress = ipaddr.IPv4.isValidFourPartDecimal(plain) || ipaddr.IPv6.isValid(plain);
  return isAddress ? ipaddr.process(plain.replace(/%.*$/, '')) : null;
}
