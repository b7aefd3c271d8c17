/**
 * Errors outside the rules: requests that the HTTP parser or the router rejects, over a real socket, and our own
 * faults.
 */

import assert from 'node:assert/strict';
import { type AddressInfo, connect } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { addressOf } from '../../../test/support/address.ts';
import { type Json, joinTestService, type TestService } from '../../../test/support/service.ts';
import { createLogger } from '../logger.ts';
import { createHttp } from './http.ts';

describe('requests that cannot be read', () => {
  let service: TestService;
  let port: number;
  before(async () => {
    service = await joinTestService();
    await addressOf(service.app);
    port = (service.app.server.address() as AddressInfo).port;
  });
  after(() => service.close());

  /** Everything received until the service closes the connection, which the requests ask for. */
  const exchange = (request: Buffer): Promise<{ status: number; head: string; body: Json }> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(request));
      const chunks: Buffer[] = [];
      socket.on('data', (chunk) => chunks.push(chunk));
      socket.on('error', reject);
      socket.on('close', () => {
        const [head = '', body = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n');
        resolve({ status: Number(head.slice(9, 12)), head, body: body && JSON.parse(body) });
      });
    });
  const raw = (...parts: (string | number[])[]) =>
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));
  const host = 'Host: localhost\r\nConnection: close\r\n';
  const bearer = () => `Authorization: Bearer ${service.token}\r\n`;

  it('a readable one over the same socket is answered as usual', async () => {
    const answer = await exchange(raw(`GET /account HTTP/1.1\r\n${host}${bearer()}\r\n`));
    assert.equal(answer.status, 200);
    assert.equal(answer.body.id, service.admin.accountId);
  });

  it('4xx in the common shape, with request id and version', async () => {
    const post = `POST /crm/records HTTP/1.1\r\n${host}${bearer()}Content-Type: application/json\r\n`;
    const cases: [string, Buffer, number][] = [
      ['no HTTP at all', raw('hello\r\n\r\n'), 400],
      ['an unknown method', raw(`FETCH / HTTP/1.1\r\n${host}\r\n`), 400],
      ['bytes in the address', raw('GET /crm/records/', [0xff, 0xfe], ` HTTP/1.1\r\n${host}\r\n`), 400],
      ['a NUL in a header', raw(`GET /account HTTP/1.1\r\n${host}X-Odd: a`, [0], 'b\r\n\r\n'), 400],
      ['headers of 20 KB', raw(`GET /account HTTP/1.1\r\n${host}X-Long: ${'x'.repeat(20_000)}\r\n\r\n`), 431],
      ['two lengths', raw(`${post}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`), 400],
      [
        'a length and chunks',
        raw(`${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`),
        400,
      ],
      ['a length that is no number', raw(`${post}Content-Length: two\r\n\r\n{}`), 400],
      ['a chunk of no size', raw(`${post}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`), 400],
      ['an escape that is none', raw(`GET /crm/records/%zz HTTP/1.1\r\n${host}${bearer()}\r\n`), 400],
      ['a MiB announced', raw(`${post}Content-Length: 1048577\r\n\r\n`), 413],
      ['no such route', raw(`GET /nowhere HTTP/1.1\r\n${host}\r\n`), 404],
    ];
    for (const [what, request, status] of cases) {
      const { status: found, head, body } = await exchange(request);
      assert.equal(found, status, `${what}: ${head}`);
      assert.deepEqual(Object.keys(body).sort(), ['code', 'error', 'message', 'requestId'], what);
      assert.match(head, new RegExp(`^x-request-id: ${body.requestId}\r?$`, 'im'), what);
      assert.match(head, /^x-api-version: v1\.7\.\d+\r?$/im, what);
      assert.match(head, /^content-type: application\/json/im, what);
    }
  });

  it('a client that leaves in the middle of its body does no harm', async () => {
    const post = `POST /crm/records HTTP/1.1\r\n${host}${bearer()}Content-Type: application/json\r\n`;
    await new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () =>
        socket.end(raw(`${post}Content-Length: 100\r\n\r\n{"title":`)),
      );
      socket.resume().on('close', () => resolve());
    });
    assert.equal((await service.call('GET', '/crm/records')).body.items.length, 0);
  });
});

describe('a fault of our own', () => {
  it('500 says INTERNAL and nothing about its cause', async () => {
    const app = createHttp(createLogger('silent'), async () => null);
    app.get('/fault', () => {
      throw new Error('relation "secrets" does not exist');
    });
    const answer = await app.inject('/fault');
    const { requestId, ...body } = answer.json();
    assert.equal(answer.statusCode, 500);
    assert.deepEqual(body, {
      error: 'Internal Server Error',
      message: 'something went wrong on our side',
      code: 'INTERNAL',
    });
    assert.equal(requestId, answer.headers['x-request-id']);
    await app.close();
  });
});
