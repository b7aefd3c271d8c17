/** Files over a real connection: announced, uploaded, attached to messages, downloaded. */
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { type Dispatcher, request } from 'undici';
import { addressOf } from './address.ts';
import type { Answer, CallOptions, Json, TestService } from './service.ts';

export interface Fetched {
  status: number;
  headers: Record<string, string>;
  bytes: Buffer;
  /** Of a JSON response. */
  body: Json;
}

export type Content = Buffer | AsyncIterable<Buffer>;

/** `at`: where the service already listens. */
export async function filesOf(service: TestService, at?: string) {
  const base = at ?? (await addressOf(service.app));
  const here = (url: string) => {
    const { pathname, search } = new URL(url, base);
    return `${base}${pathname}${search}`;
  };

  const announce = (
    file: { fileName?: string; contentType: string; size: number },
    options: CallOptions = {},
  ): Promise<Answer> =>
    service.call('POST', '/messages/upload', { body: { fileName: 'a file', ...file }, ...options });

  const put = (url: string, content: Content, headers: Record<string, string>) =>
    send(here(url), {
      method: 'PUT',
      headers,
      body: Buffer.isBuffer(content) ? content : Readable.from(content),
    });

  const fetchFile = (url: string, headers: Record<string, string> = {}, method: 'GET' | 'HEAD' = 'GET') =>
    send(here(url), { method, headers });

  /** Both steps; returns the reference as a message takes it. */
  const upload = async (
    contentType: string,
    bytes: Buffer,
    fileName = 'a file',
    options: CallOptions = {},
  ) => {
    const announced = await announce({ fileName, contentType, size: bytes.length }, options);
    assert.equal(announced.status, 200, announced.text);
    const stored = await put(announced.body.uploadUrl, bytes, { 'content-type': contentType });
    assert.equal(stored.status, 200, stored.bytes.toString());
    return { fileKey: announced.body.fileKey as string, fileName, contentType, size: bytes.length };
  };

  const describe = async (fileKey: string): Promise<Json> => {
    const answer = await service.call('GET', `/attachments/${fileKey}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };

  return { base, here, announce, put, fetchFile, upload, describe };
}

export async function send(
  url: string,
  options: { method: Dispatcher.HttpMethod; headers?: Record<string, string>; body?: Buffer | Readable },
): Promise<Fetched> {
  const answer = await request(url, options);
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  const headers = answer.headers as Record<string, string>;
  const isJson = String(headers['content-type'] ?? '').includes('application/json');
  return {
    status: answer.statusCode,
    headers,
    bytes,
    body: isJson && bytes.length > 0 ? JSON.parse(bytes.toString()) : undefined,
  };
}
