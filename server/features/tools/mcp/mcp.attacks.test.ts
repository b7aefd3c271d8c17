/** MCP servers that attack the service: by redirects, by silence, by floods, and by what they say about themselves. */
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { type Canary, startCanary } from '../../../../test/support/receivers.ts';
import { joinTestService, type TestService } from '../../../../test/support/service.ts';
import { loopbackAllowed } from '../../../../test/support/webhooks.ts';
import { callRemoteTool, listTools, problemOf } from './mcp.client.ts';

type Answer = (response: ServerResponse, request: IncomingMessage, body: string) => void;

describe('MCP servers that attack', () => {
  let service: TestService;
  let canary: Canary;
  let answer: Answer;
  let sentBytes = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    response.on('error', () => {});
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => answer(response, request, Buffer.concat(chunks).toString()));
  });
  let url: string;
  before(async () => {
    service = await joinTestService({ env: loopbackAllowed });
    canary = await startCanary();
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  });
  after(async () => {
    await service.close();
    await canary.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const json = (response: ServerResponse, id: unknown, result: object) =>
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  /** Behaves until it is asked for its tools, or to call one. */
  const friendlyUntil =
    (attack: Answer): Answer =>
    (response, request, body) => {
      if (request.method !== 'POST') return void response.writeHead(405).end();
      const { id, method, params } = JSON.parse(body);
      if (id === undefined) return void response.writeHead(202).end();
      if (method !== 'initialize') return attack(response, request, body);
      const serverInfo = { name: 'x', version: '1' };
      json(response, id, {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo,
      });
    };
  /** Never ends, but waits for what reads it. */
  const flood = (response: ServerResponse, piece: string) => {
    const send = () => {
      while (!response.destroyed && response.write(piece)) sentBytes += piece.length;
      sentBytes += piece.length;
    };
    response.on('drain', send);
    send();
  };
  const ask = async (withinMs = 10_000): Promise<string> => {
    const address = { url, headers: { authorization: 'Bearer secret' } };
    const { safeFetch } = service.context;
    sentBytes = 0;
    const list = listTools(safeFetch, address, AbortSignal.timeout(withinMs));
    return list.then(({ length }) => `${length} tools`, problemOf);
  };

  it('a redirect is not followed, at the start or later', async () => {
    const away: Answer = (response) =>
      response.writeHead(307, { location: `http://127.0.0.1:${canary.port}/mcp` }).end();
    for (answer of [away, friendlyUntil(away)]) {
      assert.equal(await ask(), 'the server does not answer as an MCP server');
    }
    assert.equal(await canary.hits(), 0);
  });

  it('one that hangs is given up: without an answer, within one, and in a stream of events', async () => {
    const silent: Answer = () => {};
    const begun: Answer = (response) =>
      response.setHeader('content-type', 'application/json').write('{"jsonrpc"');
    const events: Answer = (response) =>
      response.setHeader('content-type', 'text/event-stream').write(': still here\n\n');
    for (answer of [
      silent,
      begun,
      events,
      friendlyUntil(silent),
      friendlyUntil(begun),
      friendlyUntil(events),
    ]) {
      assert.equal(await ask(200), 'no answer in time');
    }
  });

  it('one that floods is cut off long before it fills the memory', async () => {
    const whole: Answer = (response) =>
      flood(response.setHeader('content-type', 'application/json'), ' '.repeat(65_536));
    const oneEvent: Answer = (response) =>
      flood(response.setHeader('content-type', 'text/event-stream'), `data: ${'x'.repeat(65_536)}`);
    for (answer of [whole, friendlyUntil(whole), oneEvent, friendlyUntil(oneEvent)]) {
      assert.equal(await ask(), 'the server answers with more than 8 MB');
      assert.ok(sentBytes < 32 * 1_048_576, `${sentBytes} bytes`);
    }
  });

  it('pages of tools without an end are read to a limit', async () => {
    let pages = 0;
    answer = friendlyUntil((response, _request, body) => {
      pages += 1;
      json(response, JSON.parse(body).id, { tools: [], nextCursor: String(pages) });
    });
    assert.equal(await ask(), '0 tools');
    assert.ok(pages <= 21, `${pages} pages`);
  });

  it('one that lies about the size of its answer is refused', async () => {
    const text = JSON.stringify({ jsonrpc: '2.0', id: 0, result: {} });
    const lie =
      (length: number): Answer =>
      (response) => {
        // Not by Node's server, which checks the length itself.
        response.socket!.end(
          `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n${text}`,
        );
      };
    for (const length of [5, 1_000_000]) {
      answer = lie(length);
      assert.notEqual(await ask(2_000), '0 tools');
    }
  });

  it('the answer of a call that floods is cut off, too', async () => {
    answer = friendlyUntil((response) =>
      flood(response.setHeader('content-type', 'application/json'), ' '.repeat(65_536)),
    );
    const made = callRemoteTool(
      service.context.safeFetch,
      { url, headers: {} },
      { name: 'x', given: {} },
      { signal: AbortSignal.timeout(10_000), onStart() {} },
    );
    await assert.rejects(made);
    assert.ok(sentBytes < 64 * 1_048_576, `${sentBytes} bytes`);
  });
});
