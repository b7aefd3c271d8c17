/** A provider without a protocol of its own, for tests of the frame: requests are JSON lists of Inbound items. */
import { Type } from 'typebox';
import type {
  Connected,
  FetchedMedia,
  Inbound,
  InboundMessage,
  Link,
  Provider,
} from '../../../server/features/connectors/connectors.provider.ts';
import { ProviderError } from '../../../server/features/connectors/connectors.provider.ts';

export interface Scripted {
  provider: Provider;
  /** What is called, in order. */
  calls: string[];
  /** Credentials that the provider accepts; others are rejected. */
  validToken: string;
  connected: Connected;
  /** Batches that a poll returns, oldest first; the cursor is the number of batches taken. */
  updates: Inbound[][];
  media: Map<string, FetchedMedia | ProviderError>;
  /** Called inside fetchMedia and poll. */
  onFetch: (ref: string) => Promise<void>;
  onPoll: (link: Link, cursor: string | null) => Promise<void>;
}

/** Signed with the bot token, as `x-secret`. */
export function scriptedProvider(): Scripted {
  const scripted: Scripted = {
    calls: [],
    validToken: 'good-token',
    connected: { state: 'connected' },
    updates: [],
    media: new Map(),
    onFetch: async () => {},
    onPoll: async () => {},
    provider: null as unknown as Provider,
  };
  const checkToken = (link: Link) => {
    if (link.credentials.botToken !== scripted.validToken) {
      throw new ProviderError('credentials', `Unauthorized: ${link.credentials.botToken}`);
    }
  };
  scripted.provider = {
    kind: 'telegram',
    channelTypes: ['chatbot'],
    settings: Type.Object({
      mode: Type.Unsafe<'polling' | 'webhook'>({
        type: 'string',
        enum: ['polling', 'webhook'],
        default: 'polling',
      }),
      apiBase: Type.String({ default: 'https://api.example.com' }),
    }),
    credentials: Type.Object({ botToken: Type.String({ minLength: 1 }) }),
    limits: {
      text: 4_096,
      caption: 1_024,
      fileBytes: { image: 1e7, video: 1e7, audio: 1e7, document: 1e7 },
      format: 'plain',
      hasVoice: true,
      files: 'bytes',
      inboundBytes: 4 * 1024 * 1024,
      perSecond: 30,
      perCustomerSecond: 1,
    },
    async check(link) {
      scripted.calls.push('check');
      checkToken(link);
      return { detail: 'Connected as @bot.' };
    },
    async connect(link) {
      scripted.calls.push('connect');
      checkToken(link);
      return scripted.connected;
    },
    async disconnect() {
      scripted.calls.push('disconnect');
    },
    verify(link, { headers, body }) {
      if (headers['x-secret'] !== link.credentials.botToken) return { status: 401, accepted: null };
      return { status: 200, body: 'ok', contentType: 'text/plain', accepted: body.toString('utf8') };
    },
    translate(_link, { text }) {
      return JSON.parse(text) as Inbound[];
    },
    polls: ({ mode }) => mode === 'polling',
    async poll(link, cursor, signal) {
      checkToken(link);
      await scripted.onPoll(link, cursor);
      const at = Number(cursor ?? 0);
      const batch = scripted.updates[at];
      if (batch) return { bodies: [JSON.stringify(batch)], cursor: String(at + 1) };
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 20);
        signal.addEventListener('abort', () => {
          clearTimeout(timer);
          resolve();
        });
      });
      return { bodies: [], cursor };
    },
    async fetchMedia(_link, { ref }) {
      await scripted.onFetch(ref!);
      const found = scripted.media.get(ref!);
      if (!found) throw new ProviderError('gone', 'the file no longer exists');
      if (found instanceof ProviderError) throw found;
      return found;
    },
    async send() {
      throw new ProviderError('final', 'not part of this provider');
    },
  };
  return scripted;
}

export function customerOf(id: string, name: string | null = null) {
  return { id, name, identifiers: [{ kind: 'chatbot' as const, value: id }] };
}

export function messageOf(
  customerId: string,
  number: number,
  more: Partial<InboundMessage> = {},
): InboundMessage {
  return {
    type: 'message',
    key: `${customerId}:${number}`,
    customer: customerOf(customerId, 'Ada'),
    providerMsgId: `${customerId}:${number}`,
    at: 1_700_000_000_000 + number * 1_000,
    order: number,
    text: `message ${number}`,
    media: [],
    quoted: null,
    isEcho: false,
    ...more,
  };
}
