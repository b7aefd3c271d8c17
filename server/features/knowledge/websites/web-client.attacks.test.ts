/**
 * Hostile servers and names, against the client that the crawler uses: no private address is reached, and each answer ends
 * within its bounds. Together with the table of addresses in crawl.attacks.test.ts these are more than 200.
 */
import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import type { Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { type Canary, startCanary, startRawReceiver } from '../../../../test/support/receivers.ts';
import { ssrfVectors } from '../../../../test/support/ssrf-vectors.ts';
import { checkOutboundUrl, parseOutboundAllow } from '../../../platform/outbound/outbound-address.ts';
import { createSafeFetch, type SafeFetch } from '../../../platform/outbound/safe-fetch.ts';
import { createWebClient, type Fetched, gunzipped, type WebRequest } from './web-client.ts';

const noAllowance = parseOutboundAllow('');
const ownSite = parseOutboundAllow('127.0.0.1/32');
/** Of those that never end; the others have the crawler's own time, also on a busy machine. */
const shortMs = 1_000;
const enoughMs = 30_000;
const maxBytes = 1024 * 1024;
const megabytes = (count: number) => Buffer.alloc(count * 1024 * 1024, 'a ');

/** What names resolve to: each of these addresses is the service's own machine or network. */
const privateAddresses: Record<string, string[]> = {
  loopback: ['127.0.0.1'],
  'another loopback': ['127.77.3.9'],
  unspecified: ['0.0.0.0'],
  'this network': ['0.1.2.3'],
  'private 10/8': ['10.0.0.1'],
  'private 172.16/12': ['172.20.0.1'],
  'private 192.168/16': ['192.168.1.1'],
  'carrier-grade NAT': ['100.64.0.1'],
  metadata: ['169.254.169.254'],
  'container metadata': ['169.254.170.2'],
  'platform address of a cloud': ['168.63.129.16'],
  multicast: ['224.0.0.1'],
  broadcast: ['255.255.255.255'],
  benchmarking: ['198.18.0.1'],
  'loopback 6': ['::1'],
  'unspecified 6': ['::'],
  mapped: ['::ffff:127.0.0.1'],
  'mapped, hexadecimal': ['::ffff:7f00:1'],
  'mapped metadata': ['::ffff:169.254.169.254'],
  compatible: ['::127.0.0.1'],
  translated: ['::ffff:0:127.0.0.1'],
  NAT64: ['64:ff9b::7f00:1'],
  'NAT64, local prefix': ['64:ff9b:1::7f00:1'],
  '6to4': ['2002:7f00:1::'],
  Teredo: ['2001:0:7f00:1::'],
  ISATAP: ['2606:4700::5efe:7f00:1'],
  'link-local 6': ['fe80::1'],
  'link-local 6 with a zone': ['fe80::1%lo'],
  'unique local': ['fd00::1'],
  'metadata in unique local': ['fd00:ec2::254'],
  'a public address beside a private one': ['93.184.215.14', '127.0.0.1'],
  'a private address beside a public one': ['10.0.0.1', '93.184.215.14'],
  'a public address beside a private one of IPv6': ['93.184.215.14', '::1'],
  'many public addresses and a private one': [
    ...Array.from({ length: 50 }, (_, n) => `93.184.215.${n + 1}`),
    '127.0.0.1',
  ],
  'no address at all': [],
};

/** What a server sends to each request. `ends`: what is left open is the crawler's to end. */
interface Response {
  send: string | Buffer | ((socket: Socket) => void);
  ends?: true;
  request?: Partial<WebRequest>;
  expects: (fetched: Fetched) => void;
}

const is = (kind: Fetched['kind'], code?: string) => (fetched: Fetched) => {
  assert.equal(fetched.kind, kind, JSON.stringify(fetched).slice(0, 200));
  if (code !== undefined) assert.equal((fetched as { code?: string }).code, code);
};
const fails = is('problem', 'http_error');
const tooLarge = is('problem', 'too_large');
const timesOut = is('problem', 'timeout');
const contains = (text: string) => (fetched: Fetched) => {
  assert.ok(fetched.kind === 'content', JSON.stringify(fetched).slice(0, 200));
  assert.equal(fetched.bytes.toString(), text);
};
const ok = (body: string | Buffer, ...headers: string[]) =>
  Buffer.concat([
    Buffer.from(
      ['HTTP/1.1 200 OK', 'content-type: text/html', `content-length: ${body.length}`, ...headers].join(
        '\r\n',
      ),
    ),
    Buffer.from('\r\n\r\n'),
    Buffer.from(body),
  ]);
const packed = (coding: string, body: Buffer) => ok(body, `content-encoding: ${coding}`);
/** Writes again and again, as fast as it is taken or every few milliseconds. */
const endless =
  (head: string, part: string, everyMs = 0) =>
  (socket: Socket) => {
    socket.write(head);
    const write = () => void socket.write(part);
    const timer = setInterval(write, everyMs);
    socket.on('close', () => clearInterval(timer));
  };

const bomb = gzipSync(megabytes(20));
const responses: Record<string, Response> = {
  'a bomb of gzip': { send: packed('gzip', bomb), expects: tooLarge },
  'a bomb of gzip by its old name': { send: packed('x-gzip', bomb), expects: tooLarge },
  'a bomb of deflate': { send: packed('deflate', deflateSync(megabytes(20))), expects: tooLarge },
  'a bomb of brotli': { send: packed('br', brotliCompressSync(megabytes(20))), expects: tooLarge },
  'a bomb of many gzip members': {
    send: packed('gzip', Buffer.concat(Array<Buffer>(40).fill(gzipSync(megabytes(1))))),
    expects: tooLarge,
  },
  'a bomb in another case': { send: packed('GZip', bomb), expects: tooLarge },
  'a bomb in a bomb': { send: packed('gzip, gzip', gzipSync(bomb)), expects: fails },
  'two codings': { send: packed('gzip, br', brotliCompressSync(gzipSync('text'))), expects: fails },
  'fifty codings': { send: packed(Array(50).fill('gzip').join(','), bomb), expects: fails },
  'codings in two headers': {
    send: ok(bomb, 'content-encoding: gzip', 'content-encoding: gzip'),
    expects: fails,
  },
  'a coding that nobody asked for': { send: packed('zstd', zstdCompressSync('text')), expects: fails },
  'a coding that does not exist': { send: packed('rot13', Buffer.from('text')), expects: fails },
  'a coding that the bytes do not have': { send: packed('gzip', Buffer.from('text')), expects: fails },
  'deflate without its header': { send: packed('deflate', deflateRawSync('text')), expects: fails },
  'half of a gzip': { send: packed('gzip', gzipSync('text').subarray(0, -9)), expects: fails },
  'a gzip with a wrong checksum': {
    send: packed('gzip', Buffer.concat([gzipSync('text').subarray(0, -8), Buffer.alloc(8)])),
    expects: fails,
  },
  'nothing, compressed': { send: packed('gzip', Buffer.alloc(0)), expects: contains('') },
  'the coding identity': { send: packed('identity', Buffer.from('text')), expects: contains('text') },
  'more than a page may have': { send: ok(megabytes(2)), expects: tooLarge },
  'an endless body': {
    send: endless('HTTP/1.1 200 OK\r\n\r\n', 'a'.repeat(200_000)),
    expects: tooLarge,
  },
  'an endless body in chunks': {
    send: endless(
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n',
      `30d40\r\n${'a'.repeat(200_000)}\r\n`,
    ),
    expects: tooLarge,
  },
  'an endless body of which the beginning is enough': {
    send: endless('HTTP/1.1 200 OK\r\n\r\n', 'a'.repeat(200_000)),
    request: { takesBeginning: true },
    expects: (fetched) => assert.ok(fetched.kind === 'content' && fetched.bytes.length === maxBytes),
  },
  'a chunk as large as a disk': {
    send: endless('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nfffffffff\r\n', 'a'.repeat(200_000)),
    expects: tooLarge,
  },
  'a length as large as a disk': {
    send: endless('HTTP/1.1 200 OK\r\ncontent-length: 99999999999\r\n\r\n', 'a'.repeat(200_000)),
    expects: tooLarge,
  },
  'a body that drips': { send: endless('HTTP/1.1 200 OK\r\n\r\n', '.', 20), expects: timesOut },
  'chunks that drip': {
    send: endless('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', '1\r\n.\r\n', 20),
    expects: timesOut,
  },
  'headers that drip': { send: endless('HTTP/1.1 200 OK\r\n', 'a: b\r\n', 20), expects: timesOut },
  'a status line that drips': { send: endless('HTTP/1.1 200 ', 'O', 20), expects: timesOut },
  'an interim response again and again': {
    send: endless('', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n', 20),
    expects: timesOut,
  },
  'a chunk extension that drips': {
    send: endless('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5;', 'a', 20),
    expects: timesOut,
  },
  'nothing at all': { send: '', expects: timesOut },
  'less than its length says': {
    send: 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc',
    expects: timesOut,
  },
  'less than its length says, and the end': {
    send: 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc',
    ends: true,
    expects: fails,
  },
  'half of a chunk, and the end': {
    send: 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab',
    ends: true,
    expects: fails,
  },
  'the end at once': { send: '', ends: true, expects: fails },
  'endless headers': { send: endless('HTTP/1.1 200 OK\r\n', `a: ${'b'.repeat(60_000)}\r\n`), expects: fails },
  'an endless header': { send: endless('HTTP/1.1 200 OK\r\na: ', 'b'.repeat(60_000)), expects: fails },
  'an endless status line': {
    send: endless('HTTP/1.1 200 ', 'O'.repeat(60_000)),
    expects: timesOut,
  },
  'endless headers behind the last chunk': {
    send: endless(
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n',
      `a: ${'b'.repeat(60_000)}\r\n`,
    ),
    expects: fails,
  },
  'two lengths': { send: ok('text', 'content-length: 9'), expects: fails },
  'a negative length': {
    send: 'HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\ntext',
    ends: true,
    expects: fails,
  },
  'a length that is no number': {
    send: 'HTTP/1.1 200 OK\r\ncontent-length: 4e1\r\n\r\ntext',
    ends: true,
    expects: fails,
  },
  'a length and chunks': {
    send: 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
    ends: true,
    expects: (fetched) => assert.ok(fetched.kind !== 'content' || fetched.bytes.length <= 4),
  },
  'a chunk length that is no number': {
    send: 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n',
    expects: fails,
  },
  'another protocol': { send: 'SSH-2.0-OpenSSH_9.6\r\n', expects: fails },
  'no headers, as in 1991': { send: '<html>text</html>', ends: true, expects: fails },
  'bytes of TLS': { send: Buffer.from('1603010200010001fc0303', 'hex'), expects: fails },
  'a status of one digit': { send: 'HTTP/1.1 2 OK\r\n\r\n', ends: true, expects: fails },
  'a status beyond the last': { send: 'HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n\r\n', expects: fails },
  'a status of success without a body': { send: 'HTTP/1.1 204 No Content\r\n\r\n', expects: contains('') },
  'another protocol as an upgrade': {
    send: 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n',
    ends: true,
    expects: (fetched) => assert.equal(fetched.kind, 'problem'),
  },
  'a header with a NUL': { send: ok('text', 'a: b\0c'), expects: fails },
  'a header of another alphabet': {
    send: ok('text', 'a: \u00ff\u00fe'),
    expects: (fetched) => assert.ok(['content', 'problem'].includes(fetched.kind)),
  },
  'an ETag of many kilobytes': {
    send: ok('text', `etag: "${'e'.repeat(9_000)}"`),
    expects: (fetched) => assert.ok(fetched.kind === 'content' && fetched.etag === null),
  },
  'a header called __proto__': {
    send: ok('text', '__proto__: {"polluted":true}'),
    expects: contains('text'),
  },
  'a redirect with a body that drips': {
    send: endless('HTTP/1.1 302 Found\r\nlocation: /a\r\n\r\n', '.', 20),
    expects: timesOut,
  },
  'a redirect without an address': {
    send: 'HTTP/1.1 302 Found\r\ncontent-length: 0\r\n\r\n',
    expects: is('redirect'),
  },
  'a redirect with two addresses': {
    send: 'HTTP/1.1 302 Found\r\nlocation: /a\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n',
    expects: (fetched) => assert.ok(fetched.kind !== 'content'),
  },
  'not modified, which nobody asked about': {
    send: 'HTTP/1.1 304 Not Modified\r\n\r\n',
    expects: is('not_modified'),
  },
  'always busy': { send: 'HTTP/1.1 429 Busy\r\ncontent-length: 0\r\n\r\n', expects: fails },
  'busy until a time in the past': {
    send: 'HTTP/1.1 503 Busy\r\nretry-after: Thu, 01 Jan 1970 00:00:00 GMT\r\ncontent-length: 0\r\n\r\n',
    expects: fails,
  },
  'busy for minus a year': {
    send: 'HTTP/1.1 503 Busy\r\nretry-after: -31536000\r\ncontent-length: 0\r\n\r\n',
    expects: fails,
  },
};

describe('hostile names and servers', () => {
  let canary: Canary;
  const opened: SafeFetch[] = [];
  before(async () => {
    canary = await startCanary();
  });
  after(async () => {
    await Promise.all(opened.map((safeFetch) => safeFetch.close()));
    await canary.close();
  });

  /** As the crawler asks: with the names of a test, and without a wait. */
  const clientWith = (
    allow: typeof noAllowance,
    addresses: readonly string[] = [],
    responseWithinMs = enoughMs,
  ) => {
    const lookup = async (): Promise<LookupAddress[]> =>
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    const safeFetch = createSafeFetch({ allow, lookup });
    opened.push(safeFetch);
    return createWebClient({
      safeFetch,
      paces: { take: (_host, _delayMs, _signal, request) => request() },
      headers: {},
      origins: [],
      signal: new AbortController().signal,
      retryMs: 1,
      responseWithinMs,
    });
  };

  for (const [name, addresses] of Object.entries(privateAddresses)) {
    it(`a name that resolves to ${name} is not connected to`, async () => {
      const url = `http://website.example:${canary.port}/`;
      // Rebinding: when the website was entered, the name was a public one.
      const asPublic = async () => [{ address: '93.184.215.14', family: 4 }];
      assert.equal(await checkOutboundUrl(url, noAllowance, asPublic), null);
      const fetched = await clientWith(noAllowance, addresses).request(url, { delayMs: 0 });
      assert.ok(fetched.kind === 'problem');
      assert.equal(fetched.code, addresses.length === 0 ? 'http_error' : 'private_address');
      assert.equal(await canary.hits(), 0);
    });
  }

  it('no spelling of a private address is connected to, whatever the crawler thought of it', async () => {
    const client = clientWith(noAllowance, ['127.0.0.1']);
    for (const { name, url } of ssrfVectors) {
      const address = URL.parse(url(canary.port))?.href;
      if (address === undefined) continue;
      const fetched = await client.request(address, { delayMs: 0 });
      assert.equal(fetched.kind, 'problem', name);
    }
    assert.equal(await canary.hits(), 0);
  });

  describe('answer with', { concurrency: true }, () => {
    for (const [name, { send, ends, request = {}, expects }] of Object.entries(responses)) {
      it(name, async () => {
        const server = await startRawReceiver((socket) => {
          if (typeof send === 'function') socket.once('data', () => send(socket));
          else
            socket.on('data', () => {
              if (ends) socket.end(send);
              else socket.write(send);
            });
        });
        try {
          const began = performance.now();
          const client = clientWith(ownSite, [], expects === timesOut ? shortMs : enoughMs);
          const fetched = await client.request(`${server.origin}/`, { delayMs: 0, maxBytes, ...request });
          expects(fetched);
          assert.ok(performance.now() - began < enoughMs);
          if (fetched.kind === 'content') assert.ok(fetched.bytes.length <= maxBytes);
          assert.equal(({} as { polluted?: boolean }).polluted, undefined);
        } finally {
          await server.close();
        }
      });
    }
  });

  it('an answer behind the answer is not read as that of the next request', async () => {
    let requests = 0;
    const server = await startRawReceiver((socket) => {
      socket.on('data', () => {
        requests++;
        socket.write(Buffer.concat([ok(`page ${requests}`), ok('smuggled')]));
      });
    });
    try {
      const client = clientWith(ownSite);
      const texts = [];
      for (let n = 0; n < 3; n++) {
        const fetched = await client.request(`${server.origin}/${n}`, { delayMs: 0 });
        texts.push(fetched.kind === 'content' ? fetched.bytes.toString() : fetched.kind);
      }
      assert.ok(!texts.includes('smuggled'), texts.join());
    } finally {
      await server.close();
    }
  });

  it('a compressed file is unpacked once, and as far as a page may be long', async () => {
    assert.equal(await gunzipped(bomb, maxBytes), null);
    assert.equal(
      (await gunzipped(gzipSync(gzipSync('text')), maxBytes))?.toString('latin1', 0, 2),
      '\x1f\x8b',
    );
    assert.equal(await gunzipped(Buffer.from('\x1f\x8bbroken', 'latin1'), maxBytes), null);
    assert.equal((await gunzipped(Buffer.from('plain'), maxBytes))?.toString(), 'plain');
  });

  it('are many', () => {
    const count = Object.keys(privateAddresses).length + Object.keys(responses).length + ssrfVectors.length;
    assert.ok(count >= 200, String(count));
  });
});
