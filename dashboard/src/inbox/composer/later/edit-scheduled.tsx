import { useState } from 'react';
import type { InboxSession } from '../../../../../contract/dashboard.ts';
import { limits } from '../../../../../contract/limits.ts';
import type { ScheduledMessage } from '../../../../../contract/messaging/scheduled.ts';
import { t } from '../../../texts/texts.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { Switch } from '../../../ui/controls/switch.tsx';
import { TextField } from '../../../ui/controls/text-field.tsx';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { localMinute } from '../../lifecycle/snooze-times.ts';
import { useLateWarning } from './late-warning.ts';
import { changeScheduled } from './scheduled-data.ts';

interface EditScheduledProps {
  session: InboxSession;
  message: ScheduledMessage;
  onClose(): void;
}

/** Text, time and condition of a message that waits. The text of a template is the provider's. */
export function EditScheduled({ session, message, onClose }: EditScheduledProps) {
  const [content, setContent] = useState(message.content);
  const [time, setTime] = useState(() => localMinute(new Date(message.sendAt)));
  const [cancelOnReply, setCancelOnReply] = useState(message.cancelOnReply);
  const [isBusy, setIsBusy] = useState(false);
  // The field has minutes: a time that was not touched keeps its seconds.
  const sendAt = time === localMinute(new Date(message.sendAt)) ? message.sendAt : new Date(time).getTime();
  const isPast = !(sendAt > Date.now());
  const warningOf = useLateWarning(session);
  const warning = message.template === null ? warningOf(sendAt) : null;
  const isEmpty = content.trim() === '' && message.attachments.length === 0;
  const save = async () => {
    setIsBusy(true);
    const change = {
      sendAt,
      cancelOnReply,
      ...(message.template === null && { content: content.trim() }),
    };
    if (await changeScheduled(message, change)) onClose();
    else setIsBusy(false);
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('later.edit.title')}
      footer={
        <>
          <Button onClick={onClose}>{t('ui.cancel')}</Button>
          <Button tone="primary" busy={isBusy} disabled={isPast || isEmpty} onClick={() => void save()}>
            {t('ui.save')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <TextField
          label={t('later.edit.content')}
          hint={message.template ? t('later.edit.template') : undefined}
          lines={{ min: 3, max: 10 }}
          value={content}
          disabled={message.template !== null}
          maxLength={limits.messageLength}
          onChange={setContent}
        />
        <TextField
          label={t('later.edit.time')}
          error={isPast && t('lifecycle.snooze.past')}
          hint={warning ?? undefined}
          type="datetime-local"
          min={localMinute(new Date())}
          value={time}
          onChange={setTime}
        />
        <Switch checked={cancelOnReply} onChange={setCancelOnReply} label={t('later.cancelOnReply')} />
      </div>
    </Dialog>
  );
}
