import { TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { dayAndTime } from '../../../texts/format.ts';
import { t } from '../../../texts/texts.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { Switch } from '../../../ui/controls/switch.tsx';
import { Dialog } from '../../../ui/overlays/dialog.tsx';
import { timeChoices } from '../../lifecycle/snooze-dialog.tsx';
import { ChosenTime, TimeChoices } from '../../lifecycle/time-choices.tsx';
import type { SendTime } from './scheduled-data.ts';

interface LaterDialogProps {
  /** Says what speaks against a time. */
  warningOf?(sendAt: number): string | null;
  onChoose(time: SendTime): void;
  onClose(): void;
}

/** When a message is to be sent. A time after the reply window is asked about once more. */
export function LaterDialog({ warningOf, onChoose, onClose }: LaterDialogProps) {
  const [choices] = useState(() => timeChoices().filter(({ at }) => at !== null));
  const [cancelOnReply, setCancelOnReply] = useState(false);
  const [late, setLate] = useState<number | null>(null);
  const choose = (sendAt: number | null) => {
    if (sendAt === null) return;
    if (warningOf?.(sendAt)) setLate(sendAt);
    else onChoose({ sendAt, cancelOnReply });
  };
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
      {late !== null && (
        <div role="alert" className="mt-3 flex flex-wrap items-center gap-2 border-t border-line pt-3">
          <TriangleAlert aria-hidden className="size-4 shrink-0 text-warning" />
          <p className="min-w-48 flex-1 text-pretty">
            <span className="font-medium">{dayAndTime(late)}</span>: {warningOf?.(late)}
          </p>
          <Button onClick={() => onChoose({ sendAt: late, cancelOnReply })}>{t('later.anyway')}</Button>
        </div>
      )}
    </Dialog>
  );
}
