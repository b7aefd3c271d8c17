/** A Link without a service around it, for tests of a provider's translation. Its calls are the real ones. */
import { createCall, createRedact } from '../../../server/features/connectors/connectors.call.ts';
import type { Link } from '../../../server/features/connectors/connectors.provider.ts';
import { parseOutboundAllow } from '../../../server/platform/outbound/outbound-address.ts';
import { createSafeFetch } from '../../../server/platform/outbound/safe-fetch.ts';

const safeFetch = createSafeFetch({ allow: parseOutboundAllow('127.0.0.0/8') });
/** After the last test of the file. */
export const closeProviderLinks = () => safeFetch.close();

export function providerLink(parts: Partial<Link>): Link {
  const { credentials = {} } = parts;
  return {
    accountId: 'account',
    channelId: 'channel',
    settings: {},
    credentials,
    inboundUrl: 'http://127.0.0.1:1/connect/channel',
    secret: 'a-secret-of-32-characters-or-so-',
    call: createCall(safeFetch, createRedact(Object.values(credentials))),
    ...parts,
  };
}
