/** This machine, private networks, link-local and carrier-grade addresses. */
const privateIpv4 =
  /^(?:0|10|127)\.|^169\.254\.|^192\.168\.|^172\.(?:1[6-9]|2\d|3[01])\.|^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./;
const privateIpv6 = /^\[(?:::1?\]|::ffff:|f[cd]|fe[89ab])/i;
const localName = /(?:^|\.)(?:localhost|local|internal|lan|home\.arpa|test)$/i;

/** Whether a provider on the internet can deliver to the address, as far as the address itself tells. */
export function isReachable(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  if (protocol !== 'https:') return false;
  if (privateIpv4.test(hostname) && /^[\d.]+$/.test(hostname)) return false;
  const isName = hostname.includes('.') || hostname.startsWith('[');
  return isName && !privateIpv6.test(hostname) && !localName.test(hostname);
}
