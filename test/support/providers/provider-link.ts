/** A Link without a service around it, for tests of a provider's translation. Its calls are the real ones. */
import { createCall, createRedact } from '../../../server/features/connectors/connectors.call.ts';
import type { Link } from '../../../server/features/connectors/connectors.provider.ts';
import { parseOutboundAllow } from '../../../server/platform/outbound/outbound-address.ts';
import { createSafeFetch, type SafeFetch } from '../../../server/platform/outbound/safe-fetch.ts';

/** Opened by the first call of a file. */
let opened: SafeFetch | null = null;

/** After the last test of the file. */
export async function closeProviderLinks(): Promise<void> {
  await opened?.close();
  opened = null;
}

export function providerLink(parts: Partial<Link>): Link {
  const { credentials = {} } = parts;
  const redact = createRedact(Object.values(credentials));
  return {
    accountId: 'account',
    channelId: 'channel',
    settings: {},
    credentials,
    inboundUrl: 'http://127.0.0.1:1/connect/channel',
    secret: 'a-secret-of-32-characters-or-so-',
    call: (request) => {
      opened ??= createSafeFetch({ allow: parseOutboundAllow('127.0.0.0/8') });
      return createCall(opened, redact)(request);
    },
    ...parts,
  };
}
