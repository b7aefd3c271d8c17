import { CircleAlert, StickyNote, WifiOff } from 'lucide-react';
import { useEffect, useState } from 'react';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { Button, Spinner } from '../../ui/controls/button.tsx';
import { UploadChip } from '../composer/upload-chip.tsx';
import { discard, type Outgoing, retry, sendNow, undoSend } from '../data/outbox.ts';
import { Bubble } from './chat-message.tsx';
import { MessageText } from './message-text.tsx';

/** What was written here and is not confirmed yet. */
export function OutgoingMessage({ outgoing }: { outgoing: Outgoing }) {
  const { id, content, uploads, isNote, state, error } = outgoing;
  const isFailed = state === 'failed';
  return (
    <article
      data-message={id}
      className={cx('mt-2 flex flex-col items-end gap-1', !isNote && 'pl-10 sm:pl-16')}
    >
      {uploads.map((upload) => (
        <UploadChip key={upload.id} upload={upload} />
      ))}
      {isNote ? (
        <div className="w-full rounded-control border border-note-line bg-note px-3 py-2">
          <StickyNote aria-hidden className="mb-1 size-3.5 text-warning" />
          {content.trim() !== '' && <MessageText text={content} />}
        </div>
      ) : (
        content.trim() !== '' && (
          <Bubble from="team">
            <MessageText text={content} />
          </Bubble>
        )
      )}
      {state === 'delayed' ? (
        <Delayed outgoing={outgoing} />
      ) : isFailed ? (
        <div role="alert" className="flex flex-wrap items-center justify-end gap-2 text-sm text-danger">
          <CircleAlert aria-hidden className="size-3.5" />
          <span>
            {t('inbox.status.failed')}. {error}
          </span>
          <Button size="small" onClick={() => retry(id)}>
            {t('ui.retry')}
          </Button>
          <Button size="small" tone="quiet" onClick={() => discard(id)}>
            {t('inbox.discard')}
          </Button>
        </div>
      ) : state === 'offline' ? (
        <div className="flex flex-wrap items-center justify-end gap-2 text-sm text-warning">
          <WifiOff aria-hidden className="size-3.5" />
          <span role="status">{t('inbox.status.offline')}</span>
          <Button size="small" tone="quiet" onClick={() => discard(id)}>
            {t('inbox.discard')}
          </Button>
        </div>
      ) : (
        <span className="flex h-4 items-center gap-1.5 px-1 text-xs text-faint">
          <Spinner className="size-2.5 border" /> {t('inbox.status.sending')}
        </span>
      )}
    </article>
  );
}

/** The time left, and the ways out. Only its first state is announced, not every second. */
function Delayed({ outgoing: { id, sendAt, resolves } }: { outgoing: Outgoing }) {
  const secondsLeft = () => Math.max(1, Math.ceil((sendAt - Date.now()) / 1_000));
  const [seconds, setSeconds] = useState(secondsLeft);
  useEffect(() => {
    const timer = setInterval(() => setSeconds(secondsLeft()), 250);
    return () => clearInterval(timer);
  });
  return (
    <div className="flex flex-wrap items-center justify-end gap-1 text-sm text-muted">
      <span aria-live="off" className="tabular px-1">
        {t(resolves ? 'composer.delay.resolves' : 'composer.delay', { count: seconds })}
      </span>
      <Button size="small" onClick={() => undoSend(id)}>
        {t('ui.undo')}
      </Button>
      <Button size="small" tone="quiet" onClick={() => sendNow(id)}>
        {t('composer.delay.now')}
      </Button>
    </div>
  );
}
