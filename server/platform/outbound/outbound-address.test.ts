import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runsOf, seed } from '../../../test/support/sample.ts';
import { ssrfVectors } from '../../../test/support/ssrf-vectors.ts';
import {
  checkOutboundUrl,
  isGloballyRoutable,
  type OutboundLookup,
  parseOutboundAllow,
} from './outbound-address.ts';

const none = parseOutboundAllow('');

/** The oracle: ranges as [first address, number of addresses], compared as plain numbers. */
const privateRanges: [string, number][] = [
  ['0.0.0.0', 2 ** 24],
  ['10.0.0.0', 2 ** 24],
  ['100.64.0.0', 2 ** 22],
  ['127.0.0.0', 2 ** 24],
  ['168.63.129.16', 1],
  ['169.254.0.0', 2 ** 16],
  ['172.16.0.0', 2 ** 20],
  ['192.0.0.0', 2 ** 8],
  ['192.0.2.0', 2 ** 8],
  ['192.31.196.0', 2 ** 8],
  ['192.52.193.0', 2 ** 8],
  ['192.88.99.0', 2 ** 8],
  ['192.168.0.0', 2 ** 16],
  ['192.175.48.0', 2 ** 8],
  ['198.18.0.0', 2 ** 17],
  ['198.51.100.0', 2 ** 8],
  ['203.0.113.0', 2 ** 8],
  ['224.0.0.0', 2 ** 29],
];
const toNumber = (ip: string) => ip.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
const dotted = (n: number) => [24, 16, 8, 0].map((shift) => (n >>> shift) & 255).join('.');
const group = (n: number) => n.toString(16);
const isPrivate = (n: number) =>
  privateRanges.some(([first, count]) => n >= toNumber(first) && n < toNumber(first) + count);

const privateNumber = fc
  .constantFrom(...privateRanges)
  .chain(([first, count]) =>
    fc.integer({ min: 0, max: count - 1 }).map((offset) => toNumber(first) + offset),
  );
const anyNumber = fc.integer({ min: 0, max: 2 ** 32 - 1 });

/** [high, low] are the two groups of the embedded address. */
const carrierForms: Record<string, (high: string, low: string, n: number) => string> = {
  'mapped, dotted': (_h, _l, n) => `::ffff:${dotted(n)}`,
  'mapped, hexadecimal': (h, l) => `::ffff:${h}:${l}`,
  'mapped, in full': (h, l) => `0:0:0:0:0:FFFF:${h}:${l}`,
  'compatible, dotted': (_h, _l, n) => `::${dotted(n)}`,
  'compatible, hexadecimal': (h, l) => `::${h}:${l}`,
  translated: (h, l) => `::ffff:0:${h}:${l}`,
  'NAT64, dotted': (_h, _l, n) => `64:ff9b::${dotted(n)}`,
  'NAT64, hexadecimal': (h, l) => `64:ff9b::${h}:${l}`,
  'NAT64 for local use': (h, l) => `64:ff9b:1::${h}:${l}`,
  'NAT64 for local use, 48 bits': (h, _l, n) =>
    `64:ff9b:1:${h}:${group((n >>> 8) & 255)}:${group((n & 255) << 8)}::`,
  '6to4': (h, l) => `2002:${h}:${l}::1`,
  'Teredo server': (h, l) => `2001:0:${h}:${l}::1`,
  'Teredo client': (_h, _l, n) => `2001:0:808:808:0:0:${group((~n >>> 16) & 0xffff)}:${group(~n & 0xffff)}`,
  ISATAP: (h, l) => `2606:4700:1:2:0:5efe:${h}:${l}`,
  'ISATAP, universal': (h, l) => `2606:4700:1:2:200:5efe:${h}:${l}`,
  'link-local ISATAP': (h, l) => `fe80::5efe:${h}:${l}`,
};
const carried = (form: string, n: number) => carrierForms[form]!(group(n >>> 16), group(n & 0xffff), n);

test('an IPv4 address is global exactly when no set-aside range holds it', () => {
  fc.assert(
    fc.property(fc.oneof(anyNumber, privateNumber), (n) => isGloballyRoutable(dotted(n)) === !isPrivate(n)),
    { numRuns: runsOf(2000), seed },
  );
});

test('the edges of every set-aside range are on the right side', () => {
  for (const [first, count] of privateRanges) {
    const start = toNumber(first);
    for (const n of [start - 1, start, start + count - 1, start + count]) {
      if (n < 0 || n >= 2 ** 32) continue;
      assert.equal(isGloballyRoutable(dotted(n)), !isPrivate(n), dotted(n));
    }
  }
  assert.equal(isGloballyRoutable('255.255.255.255'), false);
});

for (const form of Object.keys(carrierForms)) {
  test(`a private IPv4 address is refused inside: ${form}`, () => {
    fc.assert(
      fc.property(privateNumber, (n) => !isGloballyRoutable(carried(form, n))),
      { numRuns: runsOf(300), seed },
    );
  });
}

test('public IPv4 addresses pass where a network really carries them: mapped and NAT64', () => {
  const forms = fc.constantFrom(
    'mapped, dotted',
    'mapped, hexadecimal',
    'mapped, in full',
    'NAT64, hexadecimal',
  );
  fc.assert(
    fc.property(forms, anyNumber, (form, n) => isGloballyRoutable(carried(form, n)) === !isPrivate(n)),
    { numRuns: runsOf(1000), seed },
  );
});

test('no IPv6 address outside 2000::/3 is global, but for mapped and NAT64', () => {
  const groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 });
  fc.assert(
    fc.property(groups, ([head, ...rest]) => {
      fc.pre(head! >> 13 !== 1 && head !== 0 && head !== 0x64);
      return !isGloballyRoutable([head!, ...rest].map(group).join(':'));
    }),
    { numRuns: runsOf(1000), seed },
  );
});

test('ordinary public addresses are global', () => {
  const open = [
    '1.1.1.1',
    '8.8.8.8',
    '100.63.255.255',
    '100.128.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '223.255.255.255',
  ];
  for (const ip of [
    ...open,
    '2606:4700:4700::1111',
    '2a00:1450:4001:81b::200e',
    '2001:200::1',
    '2400:cb00::1',
  ]) {
    assert.equal(isGloballyRoutable(ip), true, ip);
  }
});

test('what is no address is not global', () => {
  for (const text of [
    '',
    'example.com',
    '127.1',
    '8.8.8',
    '0x08080808',
    '010.8.8.8',
    '8.8.8.8 ',
    '[2606:4700::1]',
    '1::2::3',
  ]) {
    assert.equal(isGloballyRoutable(text), false, text);
  }
});

test('every vector is refused at configuration', async () => {
  assert.ok(ssrfVectors.length >= 80);
  for (const vector of ssrfVectors) {
    // A name that is not resolved is accepted, so this also shows that none of them depends on DNS.
    const reason = await checkOutboundUrl(vector.url(8080), none, () => Promise.reject(new Error('no DNS')));
    assert.match(String(reason), /^must /, `${vector.name}: ${vector.url(8080)}`);
  }
});

const answers =
  (...ips: string[]): OutboundLookup =>
  async () =>
    ips.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

test('a name with public addresses is accepted at configuration', async () => {
  assert.equal(
    await checkOutboundUrl('https://hooks.test/a?b', none, answers('8.8.8.8', '2606:4700::1')),
    null,
  );
});

test('a user name or password in the address is refused, whatever the host', async () => {
  for (const who of ['user:secret', 'user', ':secret']) {
    const reason = await checkOutboundUrl(`https://${who}@hooks.test/`, none, answers('8.8.8.8'));
    assert.equal(reason, 'must not contain a user name or password');
  }
});

test('a name is refused when any of its addresses is private', async () => {
  for (const ips of [
    ['127.0.0.1'],
    ['8.8.8.8', '10.0.0.1'],
    ['2606:4700::1', '::1'],
    ['fe80::1%eth0'],
    ['::8.8.8.8'],
  ]) {
    const reason = await checkOutboundUrl('https://hooks.test/', none, answers(...ips));
    assert.equal(
      reason,
      "must not point to a private or reserved network address. To allow it, add the address of hooks.test to the service's OUTBOUND_ALLOW setting, for example 10.1.2.3/32:443",
      ips.join(),
    );
  }
});

test('a refusal names what to put into OUTBOUND_ALLOW, and with it the address is accepted', async () => {
  for (const [address, entry] of [
    ['http://10.0.0.5:11434/v1', '10.0.0.5/32:11434'],
    ['https://192.168.1.20/hook', '192.168.1.20/32:443'],
    ['http://localhost:8080/', '127.0.0.1/32:8080'],
    ['http://[::1]:8080/', '[::1]/128:8080'],
    ['http://[fd00::7]/', '[fd00::7]/128:80'],
    ['http://[::ffff:10.0.0.5]/', '10.0.0.5/32:80'],
    ['http://0x7f.1/', '127.0.0.1/32:80'],
  ]) {
    const reason = await checkOutboundUrl(address!, none);
    assert.ok(
      reason?.includes(`add ${entry} to the service's OUTBOUND_ALLOW setting`),
      `${address}: ${reason}`,
    );
    assert.equal(await checkOutboundUrl(address!, parseOutboundAllow(entry!)), null, address);
  }
  const never = await checkOutboundUrl('http://169.254.169.254/', none);
  assert.match(never!, /Link-local addresses cannot be allowed$/);
  assert.doesNotMatch(never!, /OUTBOUND_ALLOW/);
});

test('a name that does not resolve is accepted at configuration', async () => {
  const notFound: OutboundLookup = () =>
    Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
  assert.equal(await checkOutboundUrl('https://hooks.test/', none, notFound), null);
  assert.equal(await checkOutboundUrl('https://hooks.test/', none, answers()), null);
});

test('a name that takes longer than two seconds to resolve is accepted', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const verdict = checkOutboundUrl('https://hooks.test/', none, () => new Promise(() => {}));
  t.mock.timers.tick(2000);
  assert.equal(await verdict, null);
});

test('an allowed range opens its addresses in every spelling, and only those', () => {
  const allow = parseOutboundAllow(' 127.0.0.0/8, 10.1.2.3/32:8080,[::1]/128:8080 ,fd00:1::/32,');
  for (const [ip, port, expected] of [
    ['127.0.0.1', 1, true],
    ['127.9.9.9', 65535, true],
    ['::ffff:127.0.0.1', 80, true],
    ['::ffff:7f00:1', 80, true],
    ['126.255.255.255', 80, false],
    ['128.0.0.0', 80, false],
    ['10.1.2.3', 8080, true],
    ['10.1.2.3', 8081, false],
    ['10.1.2.4', 8080, false],
    ['::1', 8080, true],
    ['::1', 80, false],
    ['fd00:1:ffff::1', 443, true],
    ['fd00:2::1', 443, false],
    ['::127.0.0.1', 80, false],
    ['64:ff9b::7f00:1', 80, false],
    ['2002:7f00:1::', 80, false],
    ['127.1', 80, false],
    ['localhost', 80, false],
  ] as [string, number, boolean][]) {
    assert.equal(allow.allows(ip, port), expected, `${ip} ${port}`);
  }
});

test('an entry without a prefix is a single host', () => {
  const allow = parseOutboundAllow(
    '10.0.0.1,10.0.0.2:81,::1,[fd00::1]:82,fd00::2/128:83,::ffff:10.0.0.4/128',
  );
  for (const [ip, port] of [
    ['10.0.0.1', 9],
    ['10.0.0.2', 81],
    ['::1', 9],
    ['fd00::1', 82],
    ['fd00::2', 83],
    ['10.0.0.4', 9],
  ] as const) {
    assert.equal(allow.allows(ip, port), true, ip);
  }
  for (const [ip, port] of [
    ['10.0.0.2', 9],
    ['10.0.0.3', 9],
    ['::2', 9],
    ['fd00::1', 9],
    ['fd00::2', 9],
  ] as const) {
    assert.equal(allow.allows(ip, port), false, ip);
  }
});

test('an empty setting allows nothing', () => {
  for (const ip of ['127.0.0.1', '::1', '10.0.0.1', '']) assert.equal(none.allows(ip, 80), false);
});

test('a malformed entry is an error that quotes it', () => {
  for (const entry of [
    ...[
      'localhost',
      '10.0.0.0/33',
      '10.0.0/8',
      '10.0.0.0/',
      '10.0.0.0/8:',
      '10.0.0.0/8:0',
      '10.0.0.0/8:65536',
    ],
    ...[
      '::1/129',
      '[::1/128',
      '[::1]/129',
      '::ffff:10.0.0.0/8',
      'fe80::1%eth0',
      '0x7f.0.0.1/8',
      '10.0.0.0/8/8',
      '*',
      '10.0.0.0-10.0.0.9',
    ],
  ]) {
    assert.throws(
      () => parseOutboundAllow(`127.0.0.0/8,${entry}`),
      (error: Error) => error.message.startsWith(`"${entry}" `),
      entry,
    );
  }
});

test('an entry that covers link-local addresses is an error', () => {
  for (const entry of [
    ...[
      '169.254.169.254',
      '169.254.0.0/16',
      '169.254.169.254/32:80',
      '169.0.0.0/8',
      '0.0.0.0/0',
      '128.0.0.0/1',
    ],
    ...[
      'fe80::/10',
      'fe80::1',
      '[fe80::1]/128:80',
      'fe00::/8',
      '::/0',
      '::ffff:169.254.0.0/112',
      '::ffff:0:0/96',
    ],
  ]) {
    assert.throws(() => parseOutboundAllow(entry), /link-local/, entry);
  }
});

test('link-local stays closed when a range of carriers is allowed', () => {
  const allow = parseOutboundAllow('64:ff9b::/96,2002::/16,::/32');
  assert.equal(allow.allows('64:ff9b::10.0.0.1', 80), true);
  for (const ip of [
    '64:ff9b::169.254.169.254',
    '2002:a9fe:a9fe::1',
    '::a9fe:a9fe',
    '::ffff:169.254.169.254',
    '::ffff:0:a9fe:a9fe',
  ]) {
    assert.equal(allow.allows(ip, 80), false, ip);
  }
});

test('localhost is accepted when one of its addresses is allowed for the port, without asking DNS', async () => {
  const never: OutboundLookup = () => assert.fail('looked up');
  for (const entry of ['127.0.0.0/8', '::1', '127.0.0.1:8080']) {
    assert.equal(await checkOutboundUrl('http://localhost:8080/', parseOutboundAllow(entry), never), null);
  }
  assert.match(
    String(await checkOutboundUrl('http://localhost/', parseOutboundAllow('127.0.0.1:8080'), never)),
    /^must not/,
  );
});
