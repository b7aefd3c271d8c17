import { cx } from './class-names.ts';
import { hueOf } from './hues.ts';
import { Tooltip } from './tooltip.tsx';

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

export function AvatarStack({ people, most = 3 }: { people: { id: string; name: string }[]; most?: number }) {
  const shown = people.slice(0, people.length > most ? most - 1 : most);
  return (
    <span className="flex -space-x-1">
      {shown.map((person) => (
        <Avatar key={person.id} {...person} className="ring-2 ring-surface" />
      ))}
      {people.length > shown.length && (
        <Tooltip text={people.map((person) => person.name).join(', ')}>
          <span className="inline-flex size-5 items-center justify-center rounded-full bg-sunken text-[9px] font-semibold text-muted ring-2 ring-surface">
            +{people.length - shown.length}
          </span>
        </Tooltip>
      )}
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
