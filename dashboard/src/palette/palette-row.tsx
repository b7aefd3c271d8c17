import { Fragment } from 'react';
import { cx } from '../ui/class-names.ts';
import { Kbd } from '../ui/display/kbd.tsx';
import type { PaletteEntry } from './palette-entry.ts';
import type { Range } from './palette-match.ts';

export function PaletteRow({
  entry,
  id,
  isChosen,
  onChoose,
  onPoint,
}: {
  entry: PaletteEntry;
  id: string;
  isChosen: boolean;
  onChoose(): void;
  onPoint(): void;
}) {
  const { icon, label, marks = [], detail, found, keys } = entry;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled by the combobox that owns this list
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      onClick={onChoose}
      onPointerMove={onPoint}
      className={cx(
        'flex min-h-8 scroll-my-8 items-center gap-2.5 rounded-control px-2 py-1',
        isChosen && 'bg-hover dark:bg-pressed',
      )}
    >
      <span aria-hidden className="flex size-4 shrink-0 items-center justify-center text-muted">
        {icon}
      </span>
      <span className="flex min-w-0 flex-1 flex-col">
        <span className="truncate">
          <Marked text={label} marks={marks} />
        </span>
        {found && (
          <span className="truncate text-sm text-muted">
            {found.name}: <Marked text={found.value} marks={found.marks} />
          </span>
        )}
      </span>
      {detail && (
        <span className={cx('max-w-40 shrink-0 truncate text-sm', isChosen ? 'text-muted' : 'text-faint')}>
          {detail}
        </span>
      )}
      {keys && <Kbd keys={keys} />}
    </div>
  );
}

/** A long text is cut shortly before its first mark, so that the mark is visible. */
function Marked({ text, marks }: { text: string; marks: readonly Range[] }) {
  const first = marks[0]?.[0] ?? 0;
  const begin = first > 48 ? first - 24 : 0;
  let from = begin;
  return (
    <>
      {begin > 0 && '…'}
      {marks.map(([start, end]) => {
        const before = text.slice(from, start);
        from = end;
        return (
          <Fragment key={start}>
            {before}
            <mark className="rounded-[3px] bg-accent-soft font-semibold text-accent-ink">
              {text.slice(start, end)}
            </mark>
          </Fragment>
        );
      })}
      {text.slice(from)}
    </>
  );
}
