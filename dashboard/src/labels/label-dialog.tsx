/** Labels of one or many at once: each choice applies at once, and can be undone. */
import { useState } from 'react';
import type { LabelChange } from '../../../contract/labels.ts';
import { t } from '../texts/texts.ts';
import { PickerList } from '../ui/controls/picker.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { useLabelChoice } from './label-choice.tsx';
import { labelsAfter } from './label-data.ts';

export default function LabelDialog({
  title,
  current,
  onChange,
  onClose,
}: {
  title: string;
  /** The labels of each conversation or card as they are now. */
  current(): readonly string[][];
  /** False: some of it was refused. */
  onChange(change: LabelChange): Promise<boolean>;
  onClose(): void;
}) {
  const [now, setNow] = useState(current);
  const change = (wanted: LabelChange) => {
    setNow((before) => before.map((ids) => labelsAfter(ids, wanted)));
    void onChange(wanted).then((isAccepted) => !isAccepted && setNow(current()));
  };
  const choice = useLabelChoice((id) => change({ addLabelIds: [id] }));
  const hasAll = (id: string) => now.every((ids) => ids.includes(id));
  const ids = [...new Set(now.flat())];
  return (
    <Dialog open onOpenChange={onClose} title={title} description={t('labels.dialogText')}>
      <div className="-mx-2 rounded-panel border border-line">
        <PickerList
          {...choice}
          autoFocus
          chosen={ids.filter(hasAll)}
          partly={ids.filter((id) => !hasAll(id))}
          onToggle={(id) => change(hasAll(id) ? { removeLabelIds: [id] } : { addLabelIds: [id] })}
        />
      </div>
    </Dialog>
  );
}
