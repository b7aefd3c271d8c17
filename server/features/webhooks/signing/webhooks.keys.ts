/**
 * A cache of the keys of endpoints' secrets: opening a secret costs as much as signing and sending with it. The cache
 * reveals no more than SECRET_KEY, which the process has anyway.
 */
import type { KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { endpointKey, openEndpointSecret } from '../../../platform/events/endpoints.ts';
import type { Secrets } from '../../../platform/secrets/secrets.ts';

const maxKept = 1_000;

export class EndpointKeys {
  #secrets: Secrets;
  /** By sealed secret, so that a rotation is a new entry. */
  #kept = new LRUCache<string, { webhookId: string; key: KeyObject }>({ max: maxKept });

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  /** Throws if the secret was sealed with another SECRET_KEY or for another endpoint. */
  open(webhookId: string, sealed: string): KeyObject {
    const known = this.#kept.get(sealed);
    if (known?.webhookId === webhookId) return known.key;
    const key = endpointKey(openEndpointSecret(this.#secrets, webhookId, sealed));
    this.#kept.set(sealed, { webhookId, key });
    return key;
  }
}
