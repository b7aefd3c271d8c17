/** For tests of sending with one provider. */
import { type OutboundPart, ProviderError } from '../../../server/features/connectors/connectors.provider.ts';

/** What a failed call rejects with. */
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
