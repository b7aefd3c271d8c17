import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addressToCount, clientAddress, parseRanges } from './client-address.ts';

describe("the client's address", () => {
  const trusted = parseRanges('10.0.0.0/8, 2001:db8:1::/48, ::ffff:192.0.2.0/120');
  const cases: [title: string, peer: string | undefined, forwarded: string | undefined, address: string][] = [
    ['a direct client', '203.0.113.7', undefined, '203.0.113.7'],
    ['a direct client that claims another address', '203.0.113.7', '198.51.100.1', '203.0.113.7'],
    ['a private peer that nobody trusts', '192.168.1.1', '198.51.100.1', '192.168.1.1'],
    ['a client behind a proxy', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['a client behind a proxy on an IPv6 socket', '::ffff:10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['a client behind two proxies', '10.0.0.1', '198.51.100.1, 10.0.0.2', '198.51.100.1'],
    ['a client that claims another address', '10.0.0.1', '1.1.1.1, 198.51.100.1', '198.51.100.1'],
    ['a client that claims to be a proxy', '10.0.0.1', '10.0.0.9, 198.51.100.1', '198.51.100.1'],
    ['a client inside the network of the proxies', '10.0.0.1', '10.9.9.9', '10.9.9.9'],
    ['a proxy that reports nothing', '10.0.0.1', undefined, '10.0.0.1'],
    ['a proxy that reports no address', '10.0.0.1', '198.51.100.1, unknown', '10.0.0.1'],
    ['a proxy that reports a port', '10.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
    ['an IPv6 client with a port', '2001:db8:1::1', '[2001:db8:2::5]:443', '2001:db8:2::5'],
    ['an IPv4-mapped range', '192.0.2.9', '::ffff:198.51.100.1', '198.51.100.1'],
    ['a peer outside of an IPv4-mapped range', '192.0.3.9', '198.51.100.1', '192.0.3.9'],
    ['a legacy IPv4 form', '10.0.0.1', '127.1', '10.0.0.1'],
    ['a link-local peer with a zone', 'fe80::1%eth0', undefined, 'fe80::1'],
    ['a connection without an address', undefined, '198.51.100.1', 'unknown'],
  ];
  for (const [title, peer, forwarded, address] of cases) {
    it(`${title}: ${address}`, () => assert.equal(clientAddress(peer, forwarded, trusted), address));
  }

  it('without TRUST_PROXY X-Forwarded-For is ignored', () => {
    assert.equal(clientAddress('127.0.0.1', '198.51.100.1', parseRanges('')), '127.0.0.1');
  });

  it('an address without a prefix is trusted alone', () => {
    const [one] = [parseRanges('10.0.0.1')];
    assert.equal(clientAddress('10.0.0.1', '198.51.100.1', one), '198.51.100.1');
    assert.equal(clientAddress('10.0.0.2', '198.51.100.1', one), '10.0.0.2');
  });

  it('limits count IPv4 by address and IPv6 by its network of 64 bits', () => {
    assert.equal(addressToCount('198.51.100.1'), '198.51.100.1');
    assert.equal(addressToCount('2001:db8:2:3:aaaa::5'), addressToCount('2001:db8:2:3:bbbb::6'));
    assert.notEqual(addressToCount('2001:db8:2:3::5'), addressToCount('2001:db8:2:4::5'));
    assert.equal(addressToCount('unknown'), 'unknown');
  });

  for (const wrong of [
    'proxy.example.com',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0/8',
    '::/129',
    '10.0.0.0/8:80',
  ]) {
    it(`TRUST_PROXY refuses ${wrong}`, () => {
      assert.throws(() => parseRanges(`127.0.0.1, ${wrong}`), /must be CIDRs such as 10\.0\.0\.0\/8/);
    });
  }

  it('TRUST_PROXY refuses a range that holds IPv4-mapped and IPv6 addresses', () => {
    assert.throws(() => parseRanges('::ffff:10.0.0.0/64'), /mixes IPv4 and IPv6/);
  });
});
