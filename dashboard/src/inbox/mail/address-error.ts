import { limits } from '../../../../contract/limits.ts';
import { t } from '../../texts/texts.ts';
import type { WrittenAddresses } from './mail-addresses.ts';

/** Empty: everything that was written is an address. */
export function addressError({ wrong, isTooMany }: WrittenAddresses): string {
  if (wrong.length > 0) return t('mail.wrongAddress', { address: wrong.join(', ') });
  return isTooMany ? t('mail.tooMany', { count: limits.mailRecipients }) : '';
}
