import { useState } from 'react';
import { t } from '../../../texts/texts.ts';
import { Switch } from '../../../ui/controls/switch.tsx';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { timeChoices } from '../../lifecycle/snooze-dialog.tsx';
import { ChosenTime, TimeChoices } from '../../lifecycle/time-choices.tsx';
import type { SendTime } from './scheduled-data.ts';

/** When a message is to be sent. */
export function LaterDialog({ onChoose, onClose }: { onChoose(time: SendTime): void; onClose(): void }) {
  const [choices] = useState(() => timeChoices().filter(({ at }) => at !== null));
  const [cancelOnReply, setCancelOnReply] = useState(false);
  const choose = (sendAt: number | null) => sendAt !== null && onChoose({ sendAt, cancelOnReply });
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('later.title')}
      description={t('later.text')}
    >
      <Switch checked={cancelOnReply} onChange={setCancelOnReply} label={t('later.cancelOnReply')} />
      <div className="h-2" />
      <TimeChoices choices={choices} onChoose={choose} />
      <ChosenTime action={t('later.schedule')} onChoose={choose} />
    </Dialog>
  );
}
