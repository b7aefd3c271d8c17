import type { Label } from '../../../contract/labels.ts';
import { Badge } from '../ui/display/badge.tsx';
import { useLabelsOf } from './label-data.ts';

export const LabelChip = ({ label: { name, color, description } }: { label: Label }) => (
  <span title={description ? `${name}: ${description}` : name} className="flex max-w-full min-w-0">
    <Badge hue={color} className="min-w-0">
      <span className="truncate">{name}</span>
    </Badge>
  </span>
);

/** The dot of a label in a list to choose from. */
export const LabelDot = ({ color }: Pick<Label, 'color'>) => (
  <span
    aria-hidden
    style={{ background: `var(--hue-${color})` }}
    className="inline-block size-2.5 shrink-0 rounded-full"
  />
);

/** As many as there is room for; the rest as a number. */
export default function LabelChips({ ids, most = 50 }: { ids: readonly string[]; most?: number }) {
  const labels = useLabelsOf(ids);
  const hidden = labels.slice(most);
  return (
    <>
      {labels.slice(0, most).map((label) => (
        <LabelChip key={label.id} label={label} />
      ))}
      {hidden.length > 0 && (
        <span title={hidden.map(({ name }) => name).join(', ')} className="flex shrink-0">
          <Badge>+{hidden.length}</Badge>
        </span>
      )}
    </>
  );
}
