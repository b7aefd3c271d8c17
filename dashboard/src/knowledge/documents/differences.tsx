/** Two texts, with the lines that were removed and added. */
import { Fragment, useMemo, useState } from 'react';
import { t, tn } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { type DiffLine, diffLines, foldSame } from './text-diff.ts';

export function Differences({ before, after }: { before: string; after: string }) {
  const blocks = useMemo(() => foldSame(diffLines(before, after)), [before, after]);
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  if (before === after) return <p className="text-muted">{t('knowledge.diff.none')}</p>;
  return (
    <div
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text is scrolled by keyboard
      tabIndex={0}
      className="max-h-[60dvh] overflow-auto rounded-panel border border-line font-mono text-sm"
    >
      {blocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks have no other name
        <Fragment key={index}>
          {block.kind === 'lines' || open.has(index) ? (
            block.lines.map((line, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other name
              <Line key={at} line={line} />
            ))
          ) : (
            <button
              type="button"
              className="block w-full bg-sunken px-3 py-1 text-left font-sans text-muted hover:bg-hover"
              onClick={() => setOpen(new Set([...open, index]))}
            >
              {tn('knowledge.diff.hidden', block.lines.length)}
            </button>
          )}
        </Fragment>
      ))}
    </div>
  );
}

const signs = { same: ' ', added: '+', removed: '−' };

const Line = ({ line: { kind, text } }: { line: DiffLine }) => (
  <div
    className={cx(
      'flex gap-2 px-3 whitespace-pre-wrap',
      kind === 'added' && 'bg-success-soft text-success',
      kind === 'removed' && 'bg-danger-soft text-danger',
    )}
  >
    <span aria-hidden className="select-none">
      {signs[kind]}
    </span>
    {kind !== 'same' && (
      <span className="sr-only">
        {kind === 'added' ? t('knowledge.diff.added') : t('knowledge.diff.removed')}
      </span>
    )}
    <span className="min-w-0 wrap-anywhere">{text || ' '}</span>
  </div>
);
