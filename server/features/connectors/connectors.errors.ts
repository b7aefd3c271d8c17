/** How calls to a provider fail. */

/**
 * - `retry`: try again, after `waitMs` where the provider says so.
 * - `lost`: the request may have been carried out; there is no way to find out.
 * - `final`: it will never work. The message is a sentence for a person.
 * - `credentials`: nothing works until an administrator replaces them.
 * - `unlinked`: the phone is not linked; everything waits.
 * - `gone`: a file no longer exists at the provider.
 */
export type ProviderErrorClass = 'retry' | 'lost' | 'final' | 'credentials' | 'unlinked' | 'gone';

export class ProviderError extends Error {
  readonly errorClass: ProviderErrorClass;
  readonly waitMs: number | null;
  /**
   * Of `retry`: who has to wait besides this message. A wait that the provider demands holds for the whole channel, unless
   * it names the customer. Without `waitMs` the frame chooses the time.
   */
  readonly pauses: 'channel' | 'customer' | null;

  constructor(
    errorClass: ProviderErrorClass,
    message: string,
    waitMs: number | null = null,
    pauses: ProviderError['pauses'] = waitMs === null ? null : 'channel',
  ) {
    super(message);
    this.errorClass = errorClass;
    this.waitMs = waitMs;
    this.pauses = pauses;
  }
}
