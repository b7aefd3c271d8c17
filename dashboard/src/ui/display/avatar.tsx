import { cx } from '../class-names.ts';
import { hueOf } from '../hues.ts';
import { Tooltip } from '../overlays/tooltip.tsx';

const sizes = { small: 'size-5 text-[9px]', medium: 'size-6 text-[10px]', large: 'size-8 text-sm' };

export interface AvatarProps {
  /** Decides the hue, so that a person keeps it when renamed. */
  id: string;
  name: string;
  size?: keyof typeof sizes;
  tip?: boolean;
  className?: string;
}

export function Avatar({ id, name, size = 'small', tip = true, className }: AvatarProps) {
  const hue = hueOf(id);
  const face = (
    <span
      role="img"
      aria-label={name}
      style={{ background: `var(--hue-${hue}-soft)`, color: `var(--hue-${hue})` }}
      className={cx(
        'inline-flex shrink-0 items-center justify-center rounded-full font-semibold select-none',
        sizes[size],
        className,
      )}
    >
      {initials(name)}
    </span>
  );
  return tip ? <Tooltip text={name}>{face}</Tooltip> : face;
}

/** Without `tip` the names are in a plain title: a board has hundreds of these, and each tip costs when scrolling. */
export function AvatarStack({
  people,
  most = 3,
  tip = true,
}: {
  people: readonly { id: string; name: string }[];
  most?: number;
  tip?: boolean;
}) {
  const shown = people.slice(0, people.length > most ? most - 1 : most);
  const names = people.map((person) => person.name).join(', ');
  const rest = (
    <span className="inline-flex size-5 items-center justify-center rounded-full bg-sunken text-[9px] font-semibold text-muted ring-2 ring-surface">
      +{people.length - shown.length}
    </span>
  );
  return (
    <span title={tip ? undefined : names} className="flex -space-x-1">
      {shown.map((person) => (
        <Avatar key={person.id} id={person.id} name={person.name} tip={tip} className="ring-2 ring-surface" />
      ))}
      {people.length > shown.length && (tip ? <Tooltip text={names}>{rest}</Tooltip> : rest)}
    </span>
  );
}

function initials(name: string): string {
  const words = name.trim().split(/\s+/);
  const letters = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  return (
    letters
      .map((word) => [...(word ?? '')][0] ?? '')
      .join('')
      .toLocaleUpperCase() || '?'
  );
}
