/** Visitors of a website over real HTTP: they open the widget, write and upload. */
import assert from 'node:assert/strict';
import { send } from './files.ts';
import type { Json } from './service.ts';

export interface VisitorFile {
  bytes: Buffer;
  contentType?: string;
}

let counter = 0;

export function visitorsOf(base: string) {
  const json = (token: string | null) => ({
    'content-type': 'application/json',
    ...(token && { authorization: `Bearer ${token}` }),
  });
  const post = (path: string, token: string | null, body: object) =>
    send(`${base}${path}`, {
      method: 'POST',
      headers: json(token),
      body: Buffer.from(JSON.stringify(body)),
    });

  const start = (channel: string, body: object = {}) => post('/widget/sessions', null, { channel, ...body });
  const say = (token: string, content = 'Hello', body: object = {}) =>
    post('/widget/messages', token, { clientId: `visitor-message-${++counter}`, content, ...body });
  const upload = (token: string, { bytes, contentType = 'text/plain' }: VisitorFile) =>
    send(`${base}/widget/uploads`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': contentType,
        'content-length': String(bytes.length),
        'x-file-name': 'file.txt',
      },
      body: bytes,
    });

  return {
    start,
    say,
    upload,
    async visit(channel: string, body: object = {}): Promise<string> {
      const answer = await start(channel, body);
      assert.equal(answer.status, 200, answer.bytes.toString());
      return answer.body.token;
    },
    /** A visitor who has written a first message. */
    async guest(channel: string, content?: string): Promise<string> {
      const answer = await start(channel);
      assert.equal(answer.status, 200, answer.bytes.toString());
      const sent = await say(answer.body.token, content);
      assert.equal(sent.status, 202, sent.bytes.toString());
      return answer.body.token;
    },
    async history(token: string): Promise<Json[]> {
      const answer = await send(`${base}/widget/messages`, { method: 'GET', headers: json(token) });
      assert.equal(answer.status, 200, answer.bytes.toString());
      return answer.body.messages;
    },
    get: (path: string) => send(`${base}${path}`, { method: 'GET' }),
  };
}
