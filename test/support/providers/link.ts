/** A connected channel for tests of one provider, without the frame. */
import type { Link, OutboundPart } from '../../../server/features/connectors/connectors.provider.ts';
import { ProviderError } from '../../../server/features/connectors/connectors.provider.ts';

export const testLink = (own: Pick<Link, 'settings' | 'credentials'> & Partial<Link>): Link => ({
  accountId: 'account',
  channelId: 'channel',
  inboundUrl: 'https://talkboard.example/connect/channel',
  secret: 'A'.repeat(32),
  async call({ method, url, headers, json, form, multipart, signal }) {
    let body: string | URLSearchParams | FormData | undefined;
    const sent = { ...headers };
    if (json !== undefined) {
      sent['content-type'] = 'application/json';
      body = JSON.stringify(json);
    } else if (form) body = new URLSearchParams(form);
    else if (multipart) {
      const { fields, file } = multipart;
      const data = new FormData();
      for (const [name, value] of Object.entries(fields)) data.append(name, value);
      data.append(file.field, new Blob([new Uint8Array(file.bytes)], { type: file.type }), file.name);
      body = data;
    }
    try {
      const answer = await fetch(url, { method: method ?? 'GET', headers: sent, body, signal });
      const bytes = Buffer.from(await answer.arrayBuffer());
      const type = answer.headers.get('content-type') ?? '';
      return {
        status: answer.status,
        headers: Object.fromEntries(answer.headers),
        bytes,
        json: type.includes('json') ? JSON.parse(bytes.toString('utf8')) : undefined,
      };
    } catch {
      throw new ProviderError(method === 'POST' ? 'lost' : 'retry', 'The provider cannot be reached.');
    }
  },
  ...own,
});

/** What a failed call rejects with: its class and its sentence. */
export async function failureOf(
  call: Promise<unknown>,
): Promise<Pick<ProviderError, 'errorClass' | 'message' | 'waitMs'>> {
  const error = await call.then(
    () => new Error('it did not fail'),
    (reason) => reason,
  );
  if (!(error instanceof ProviderError)) throw error;
  return { errorClass: error.errorClass, message: error.message, waitMs: error.waitMs };
}

export const testPart = (customerId: string, own: Partial<OutboundPart>): OutboundPart => ({
  id: 'part-1',
  to: { customerId, identifiers: [] },
  text: '',
  file: null,
  quoted: null,
  ...own,
});
