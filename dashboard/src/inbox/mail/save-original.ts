import { t } from '../../texts/texts.ts';
import { toast } from '../../ui/overlays/toast.tsx';
import { downloadOriginal } from './mail-data.ts';

/** The mail as it came, as a file. */
export const saveOriginal = (sessionId: string, messageId: string) =>
  downloadOriginal(sessionId, messageId).catch((error) => void toast.failed(t('mail.downloadFailed'), error));
