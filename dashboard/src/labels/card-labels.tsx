import LabelChips from './label-chips.tsx';

export default function CardLabels({ ids }: { ids: readonly string[] }) {
  return (
    <div className="flex min-h-5 flex-wrap gap-1">
      <LabelChips ids={ids} most={4} />
    </div>
  );
}
