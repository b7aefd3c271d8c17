import type { Label } from '../../../../contract/labels.ts';
import { LabelDot } from '../../labels/label-chips.tsx';

/** A label in search results. */
export const LabelRow = ({
  label: { id, name, color, description },
  isTabStop,
  onChoose,
}: {
  label: Label;
  isTabStop: boolean;
  onChoose(): void;
}) => (
  <button
    type="button"
    data-result={id}
    tabIndex={isTabStop ? 0 : -1}
    onClick={onChoose}
    className="flex w-full items-center gap-2.5 border-b border-line px-3 py-2 text-left transition-colors hover:bg-hover focus-visible:-outline-offset-2"
  >
    <LabelDot color={color} />
    <span className="min-w-0 truncate font-medium">{name}</span>
    {description && <span className="min-w-0 flex-1 truncate text-sm text-muted">{description}</span>}
  </button>
);
