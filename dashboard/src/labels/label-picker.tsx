/** The labels of one conversation or card, to be changed in place. */
import type { LabelChange } from '../../../contract/labels.ts';
import { t } from '../texts/texts.ts';
import { Picker } from '../ui/controls/picker.tsx';
import LabelChips from './label-chips.tsx';
import { useLabelChoice } from './label-choice.tsx';
import { useLabelsOf } from './label-data.ts';

export default function LabelPicker({
  ids,
  onChange,
}: {
  ids: string[];
  /** Sends the difference, so that nobody else's change is lost. */
  onChange(change: LabelChange): void;
}) {
  const choice = useLabelChoice((id) => onChange({ addLabelIds: [id] }));
  const labels = useLabelsOf(ids);
  return (
    <Picker
      {...choice}
      several
      chosen={ids}
      onChange={(next) => {
        const added = next.filter((id) => !ids.includes(id));
        const removed = ids.filter((id) => !next.includes(id));
        onChange(added.length > 0 ? { addLabelIds: added } : { removeLabelIds: removed });
      }}
      trigger={
        <button
          type="button"
          className="flex min-h-8 w-full flex-wrap items-center gap-1 rounded-control px-2 py-1 text-left hover:bg-hover"
        >
          <span className="sr-only">{t('labels.edit')}</span>
          {labels.length === 0 ? (
            <span className="text-faint">{t('labels.none')}</span>
          ) : (
            <LabelChips ids={ids} />
          )}
        </button>
      }
    />
  );
}
