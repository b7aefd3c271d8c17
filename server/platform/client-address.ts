/** Where a request comes from, for counting: behind a proxy of one's own network the address that the proxy saw. */
import type { IncomingHttpHeaders } from 'node:http';
import ipaddr from 'ipaddr.js';

/** IPv6 by its network of 64 bits: whoever has one address there has all of them. */
export function clientAddress(remote: string | undefined, headers: IncomingHttpHeaders): string {
  const peer = read(remote);
  if (!peer) return 'unknown';
  let found = peer;
  if (!isPublic(peer)) {
    // From the right: what stands left of the last proxy's own entry is only what the client said.
    const forwarded = String(headers['x-forwarded-for'] ?? '')
      .split(',')
      .map(read);
    found = forwarded.findLast((address) => address !== null && isPublic(address)) ?? peer;
  }
  if (found instanceof ipaddr.IPv4) return found.toString();
  return `${found.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

function read(text: string | undefined): ipaddr.IPv4 | ipaddr.IPv6 | null {
  const plain = text?.trim().replace(/^\[|\]$/g, '') ?? '';
  return ipaddr.isValid(plain) ? ipaddr.process(plain) : null;
}

const isPublic = (address: ipaddr.IPv4 | ipaddr.IPv6) => address.range() === 'unicast';
