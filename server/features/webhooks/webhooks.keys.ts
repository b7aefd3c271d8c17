/**
 * A cache of the keys of endpoints' secrets: opening a secret costs as much as signing and sending with it. The cache
 * reveals no more than SECRET_KEY, which the process has anyway.
 */
import type { KeyObject } from 'node:crypto';
import { endpointKey, openEndpointSecret } from '../../platform/events/endpoints.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';

const keptAtMost = 1_000;

export class EndpointKeys {
  #secrets: Secrets;
  /** By sealed secret, so that a rotation is a new entry; the oldest is dropped first. */
  #kept = new Map<string, { webhookId: string; key: KeyObject }>();

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  /** Throws if the secret was sealed with another SECRET_KEY or for another endpoint. */
  open(webhookId: string, sealed: string): KeyObject {
    const known = this.#kept.get(sealed);
    if (known?.webhookId === webhookId) return known.key;
    const key = endpointKey(openEndpointSecret(this.#secrets, webhookId, sealed));
    if (this.#kept.size >= keptAtMost) this.#kept.delete(this.#kept.keys().next().value!);
    this.#kept.set(sealed, { webhookId, key });
    return key;
  }
}
