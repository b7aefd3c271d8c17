/** The labels of one conversation or card, to be changed in place. */
import type { LabelChange } from '../../../contract/labels.ts';
import { t } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';
import { Picker } from '../ui/controls/picker.tsx';
import LabelChips from './label-chips.tsx';
import { useLabelChoice } from './label-choice.tsx';
import { useLabelsOf } from './label-data.ts';

const listClass = 'flex min-h-8 w-full flex-wrap items-center gap-1 px-2 py-1';

interface LabelPickerProps {
  ids: string[];
  /** Sends the difference, so that no concurrent change is lost. */
  onChange(change: LabelChange): void;
}

/** Read-only for people who may not change them. */
export default function LabelPicker({
  isReadOnly = false,
  ...props
}: LabelPickerProps & { isReadOnly?: boolean }) {
  if (!isReadOnly) return <Choice {...props} />;
  return (
    <div className={listClass}>
      <Labels ids={props.ids} />
    </div>
  );
}

function Labels({ ids }: { ids: string[] }) {
  if (useLabelsOf(ids).length > 0) return <LabelChips ids={ids} />;
  return <span className="text-faint">{t('labels.none')}</span>;
}

function Choice({ ids, onChange }: LabelPickerProps) {
  const choice = useLabelChoice((id) => onChange({ addLabelIds: [id] }));
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
        <button type="button" className={cx(listClass, 'rounded-control text-left hover:bg-hover')}>
          <span className="sr-only">{t('labels.edit')}</span>
          <Labels ids={ids} />
        </button>
      }
    />
  );
}
