/**
 * The HTML of a mail in a frame without scripts and without an origin. The service sends it sanitised, with a policy of
 * its own: this page's would forbid inline styles. The frame cannot be measured from here, so it has the dialog's height.
 */
import { useQuery } from '@tanstack/react-query';
import { Download, ImageOff } from 'lucide-react';
import { useState } from 'react';
import type { Message } from '../../../../contract/messaging/messages.ts';
import { useIsDark } from '../../app/theme.ts';
import { t, tn } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { ErrorState, Skeleton } from '../../ui/display/states.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { hasOriginal, mailOf, mailViewQuery, nameOf } from './mail-data.ts';
import { saveOriginal } from './save-original.ts';

interface MailViewDialogProps {
  sessionId: string;
  message: Message;
  onClose(): void;
}

export default function MailViewDialog({ sessionId, message, onClose }: MailViewDialogProps) {
  const mail = mailOf(message);
  const theme = useIsDark() ? 'dark' : 'light';
  const [remoteImages, setRemoteImages] = useState(false);
  const { data, error, refetch } = useQuery(mailViewQuery(sessionId, message.id, { remoteImages, theme }));
  return (
    <Dialog
      open
      wide
      onOpenChange={(open) => !open && onClose()}
      title={mail?.subject || t('mail.noSubject')}
      description={mail?.from ? t('mail.fromLine', { from: nameOf(mail.from) }) : undefined}
      footer={
        <>
          {hasOriginal(message) && (
            <Button
              icon={<Download className="size-3.5" />}
              onClick={() => void saveOriginal(sessionId, message.id)}
            >
              {t('mail.download')}
            </Button>
          )}
          <Button tone="primary" onClick={onClose}>
            {t('ui.close')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-2">
        {data && data.blockedImages > 0 && (
          <ImagesBar count={data.blockedImages} onShow={() => setRemoteImages(true)} />
        )}
        {data?.isCut && <p className="text-sm text-muted">{t('mail.cut')}</p>}
        {error ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : data ? (
          <iframe
            title={t('mail.frame')}
            src={data.url}
            sandbox="allow-popups allow-popups-to-escape-sandbox"
            referrerPolicy="no-referrer"
            className="h-[52vh] w-full rounded-control border border-line bg-white"
          />
        ) : (
          <Skeleton className="h-[52vh] w-full" />
        )}
      </div>
    </Dialog>
  );
}

function ImagesBar({ count, onShow }: { count: number; onShow(): void }) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-control bg-sunken px-2.5 py-1.5 text-sm">
      <ImageOff aria-hidden className="size-3.5 shrink-0 text-muted" />
      <p className="min-w-0 flex-1 basis-56 text-pretty text-muted">{tn('mail.blocked', count)}</p>
      <Button size="small" onClick={onShow}>
        {t('mail.showImages')}
      </Button>
    </div>
  );
}
