/** Above the composer: what will be sent later, to be changed or cancelled. */
import { useQuery } from '@tanstack/react-query';
import { CalendarClock, Pencil, X } from 'lucide-react';
import { useState } from 'react';
import type { InboxSession } from '../../../../../contract/dashboard.ts';
import type { ScheduledMessage } from '../../../../../contract/messaging/scheduled.ts';
import { useMay } from '../../../data/session.ts';
import { dayAndTime, fullDate } from '../../../texts/format.ts';
import { t, tn } from '../../../texts/texts.ts';
import { Button, IconButton } from '../../../ui/controls/button.tsx';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { EditScheduled } from './edit-scheduled.tsx';
import { cancelScheduled, scheduledQuery } from './scheduled-data.ts';

export function ScheduledList({ session }: { session: InboxSession }) {
  const { data: scheduled = [] } = useQuery(scheduledQuery(session.sessionId));
  const [edited, setEdited] = useState<ScheduledMessage | null>(null);
  const [ended, setEnded] = useState<ScheduledMessage | null>(null);
  if (scheduled.length === 0) return null;
  return (
    <section
      aria-label={t('later.list')}
      className="mx-auto mb-2 max-h-48 max-w-3xl overflow-y-auto rounded-panel border border-line bg-surface"
    >
      <h3 className="flex items-center gap-1.5 px-3 pt-2 text-sm font-medium text-muted">
        <CalendarClock aria-hidden className="size-3.5" />
        {tn('later.count', scheduled.length)}
      </h3>
      <ul className="flex flex-col px-1 pb-1">
        {scheduled.map((message) => (
          <ScheduledRow
            key={message.id}
            message={message}
            onEdit={() => setEdited(message)}
            onCancel={() => setEnded(message)}
          />
        ))}
      </ul>
      {edited && <EditScheduled session={session} message={edited} onClose={() => setEdited(null)} />}
      {ended && <CancelDialog message={ended} onClose={() => setEnded(null)} />}
    </section>
  );
}

interface ScheduledRowProps {
  message: ScheduledMessage;
  onEdit(): void;
  onCancel(): void;
}

function ScheduledRow({ message, onEdit, onCancel }: ScheduledRowProps) {
  const { content, sendAt, cancelOnReply, attachments, author, scheduledBy } = message;
  const mayChange = useMay('conversations.reply');
  return (
    <li className="flex items-center gap-2 px-2 py-1">
      <div className="min-w-0 flex-1">
        <p className="truncate">{content || tn('later.files', attachments.length)}</p>
        <p className="truncate text-sm text-muted">
          <time title={fullDate(sendAt)}>{dayAndTime(sendAt)}</time>
          {` · ${author.name}`}
          {scheduledBy && ` · ${t('later.scheduledBy', { name: scheduledBy.name })}`}
          {cancelOnReply && ` · ${t('later.ifNoReply')}`}
        </p>
      </div>
      {mayChange && (
        <>
          <IconButton label={t('later.edit')} onClick={onEdit}>
            <Pencil className="size-3.5" />
          </IconButton>
          <IconButton label={t('later.cancel')} onClick={onCancel}>
            <X className="size-4" />
          </IconButton>
        </>
      )}
    </li>
  );
}

function CancelDialog({ message, onClose }: { message: ScheduledMessage; onClose(): void }) {
  const [isBusy, setIsBusy] = useState(false);
  const cancel = async () => {
    setIsBusy(true);
    await cancelScheduled(message);
    onClose();
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('later.cancel.title')}
      description={t('later.cancel.text')}
      footer={
        <>
          <Button onClick={onClose}>{t('later.cancel.keep')}</Button>
          <Button tone="danger" busy={isBusy} onClick={() => void cancel()}>
            {t('later.cancel')}
          </Button>
        </>
      }
    >
      <p className="line-clamp-6 whitespace-pre-wrap wrap-anywhere">{message.content}</p>
    </Dialog>
  );
}
