/** What a link offers beside HTTP: addresses that may be connected to, and files of messages that are not stored yet. */
import { buffer } from 'node:stream/consumers';
import { AppError, isTemporary } from '../../platform/http/errors.ts';
import {
  isIpAddress,
  mayReach,
  type OutboundAllow,
  resolveAllowed,
} from '../../platform/outbound/outbound-address.ts';
import { OutboundError } from '../../platform/outbound/safe-fetch.ts';
import { type FileDeps, openStoredFile, storeOriginal } from '../attachments/attachments.ts';
import { type Link, ProviderError } from './connectors.provider.ts';

/** Connect to the address, not to the name: a name may resolve to something else a moment later. */
export async function resolveHost(
  allow: OutboundAllow,
  host: string,
  port: number,
): Promise<{ address: string; isAllowed: boolean }> {
  try {
    const address = isIpAddress(host) ? host : (await resolveAllowed(host, port, allow))[0]!.address;
    if (!mayReach(address, port, allow))
      throw new OutboundError('ADDRESS_REFUSED', 'the address is not allowed');
    return { address, isAllowed: allow.allows(address, port) };
  } catch (error) {
    const reason = error instanceof OutboundError ? error.message : 'the name does not resolve';
    throw new ProviderError('retry', `The server ${host} cannot be reached: ${reason}.`);
  }
}

export function createOriginals(deps: FileDeps, accountId: string): NonNullable<Link['originals']> {
  return {
    async keep(bytes) {
      try {
        const file = { bytes, fileName: 'message.eml', contentType: 'message/rfc822' };
        return await storeOriginal(deps, accountId, file);
      } catch (error) {
        if (!(error instanceof AppError) || isTemporary(error)) throw error;
        return null;
      }
    },
    async read(key) {
      const stream = await openStoredFile(deps.blobs, accountId, key);
      return stream && buffer(stream);
    },
  };
}
