/** Why there is no reply or no transcript. The service's own reasons are translated, a model's messages are not. */
import { t } from '../../texts/texts.ts';

const known: { [reason: string]: () => string } = {
  'AI paused': () => t('inbox.reason.paused'),
  'contact blocked': () => t('inbox.reason.blocked'),
  'session transferred': () => t('inbox.reason.transferred'),
  'the reply could not be made': () => t('inbox.reason.noReply'),
  'the transcription failed': () => t('inbox.reason.noTranscription'),
  'the file is gone': () => t('inbox.reason.noFile'),
};

export const reasonInWords = (reason: string | null): string =>
  reason === null ? '' : (known[reason]?.() ?? reason);
