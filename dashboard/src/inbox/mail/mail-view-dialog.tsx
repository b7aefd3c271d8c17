/**
 * The HTML of a mail in a frame without scripts. The service sends it sanitised, with a policy of its own: this page's
 * would forbid inline styles. The frame is as high as its content, and scrolls when the window has no room for it.
 */
import { useQuery } from '@tanstack/react-query';
import { Download, ImageOff } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { mailSandbox } from '../../../../contract/messaging/mail.ts';
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
      tall
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
      <div className="flex min-h-0 flex-col gap-2">
        {data && data.blockedImages > 0 && (
          <ImagesBar count={data.blockedImages} onShow={() => setRemoteImages(true)} />
        )}
        {data?.isCut && <p className="text-sm text-muted">{t('mail.cut')}</p>}
        {error ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : data ? (
          <MailFrame url={data.url} />
        ) : (
          <Skeleton className="h-40 w-full" />
        )}
      </div>
    </Dialog>
  );
}

/** Of the frame, above and below. */
const borders = 2;

/** With this page's origin it can be measured. That gives the mail nothing, because no script of it runs. */
function MailFrame({ url }: { url: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState<number | null>(null);
  const observer = useRef<ResizeObserver>(null);
  useEffect(() => () => observer.current?.disconnect(), []);
  // Again when it becomes narrower, or when a picture arrives.
  const observe = () => {
    observer.current?.disconnect();
    const root = frame.current?.contentDocument?.documentElement;
    const body = root?.querySelector('body');
    if (!root || !body) return;
    const measure = () => setHeight(Math.max(root.offsetHeight, body.scrollHeight) + borders);
    measure();
    observer.current = new ResizeObserver(measure);
    observer.current.observe(root);
  };
  return (
    <iframe
      ref={frame}
      title={t('mail.frame')}
      src={url}
      sandbox={mailSandbox}
      referrerPolicy="no-referrer"
      onLoad={observe}
      style={{ height: height ?? undefined }}
      className="min-h-24 w-full rounded-control border border-line bg-white dark:bg-raised"
    />
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
