/** Why there is no reply or no transcript, or why a message was not sent. The service's own reasons are translated, a model's messages are not. */
import { t } from '../../texts/texts.ts';

const ended =
  'The time in which the provider accepts free text has ended: it begins with each message of the customer.';
const windowReasons: { [reason: string]: () => string } = {
  [`${ended} Send a template instead.`]: () => t('window.closed.template'),
  [`${ended} Wait until the customer writes again.`]: () => t('window.closed.wait'),
};

export const isWindowReason = (reason: string): boolean => Object.hasOwn(windowReasons, reason);

const known: { [reason: string]: () => string } = {
  'AI paused': () => t('inbox.reason.paused'),
  'contact blocked': () => t('inbox.reason.blocked'),
  'session transferred': () => t('inbox.reason.transferred'),
  'the reply could not be made': () => t('inbox.reason.noReply'),
  'the transcription failed': () => t('inbox.reason.noTranscription'),
  'the file is gone': () => t('inbox.reason.noFile'),
  ...windowReasons,
};

export const reasonInWords = (reason: string | null): string =>
  reason === null ? '' : (known[reason]?.() ?? reason);
