/** A Link without a service around it, for tests of a provider's translation. */
import {
  type Link,
  type ProviderAnswer,
  ProviderError,
  type ProviderRequest,
} from '../../../server/features/connectors/connectors.provider.ts';

export function providerLink(parts: Partial<Link>): Link {
  return {
    accountId: 'account',
    channelId: 'channel',
    settings: {},
    credentials: {},
    inboundUrl: 'http://127.0.0.1:1/connect/channel',
    secret: 'a-secret-of-32-characters-or-so-',
    call,
    ...parts,
  };
}

async function call({ method, url, headers, json, timeoutMs }: ProviderRequest): Promise<ProviderAnswer> {
  const sends = json !== undefined;
  try {
    const response = await fetch(url, {
      method: method ?? (sends ? 'POST' : 'GET'),
      headers: { ...(sends && { 'content-type': 'application/json' }), ...headers },
      body: sends ? JSON.stringify(json) : undefined,
      signal: AbortSignal.timeout(timeoutMs ?? 15_000),
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const { status } = response;
    return { status, headers: Object.fromEntries(response.headers), bytes, json: parsed(bytes) };
  } catch {
    throw new ProviderError(sends ? 'lost' : 'retry', 'no answer');
  }
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
