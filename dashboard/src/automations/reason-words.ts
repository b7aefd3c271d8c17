/** The service says in English why a rule did not run. The sentences that are known are said in the reader's language. */
import { t } from '../texts/texts.ts';

const loop = /^would repeat itself: (.+)$/;

export function reasonWords(reason: string | null): string {
  if (reason === null) return '';
  if (reason === 'too_often') return t('automation.reason.tooOften');
  if (reason === 'no_subject') return t('automation.reason.noSubject');
  const path = loop.exec(reason)?.[1];
  if (path) return t('automation.reason.loop', { path });
  return reason;
}
