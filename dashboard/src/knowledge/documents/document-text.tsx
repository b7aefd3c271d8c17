/** The text of a document as it is read. Long ones are drawn piece by piece: they may have two million characters. */
import { useMemo, useState } from 'react';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Markdown } from '../../ui/display/markdown.tsx';
import { splitText, type TextPart } from './text-parts.ts';

const pieceLength = 60_000;

export function DocumentText({ text }: { text: string }) {
  const [length, setLength] = useState(pieceLength);
  const end = useMemo(() => endOf(text, length), [text, length]);
  const parts = useMemo(() => splitText(text.slice(0, end)), [text, end]);
  return (
    <div className="flex min-w-0 flex-col gap-3 text-md">
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name
        <Part key={index} part={part} />
      ))}
      {end < text.length && (
        <Button className="self-center" onClick={() => setLength(length + pieceLength)}>
          {t('knowledge.document.more')}
        </Button>
      )}
    </div>
  );
}

/** At the end of a line. */
function endOf(text: string, length: number): number {
  if (text.length <= length) return text.length;
  const at = text.indexOf('\n', length);
  return at < 0 ? text.length : at;
}

const sizes = ['text-xl', 'text-lg', 'text-md'];

function Part({ part }: { part: TextPart }) {
  if (part.kind === 'text') return <Markdown text={part.text} />;
  if (part.kind === 'table') return <Table {...part} />;
  // The page has a heading of the first level already.
  const Heading = `h${Math.min(6, part.level + 1)}` as 'h2';
  return (
    <Heading className={cx('mt-2 font-semibold text-balance first:mt-0', sizes[part.level - 1] ?? 'text-md')}>
      {part.text}
    </Heading>
  );
}

const cellClass = 'border border-line px-2.5 py-1.5 text-left align-top';

function Table({ head, rows }: { head: readonly string[]; rows: readonly string[][] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard
    <div className="overflow-x-auto" tabIndex={0}>
      <table className="border-collapse">
        <thead className="bg-sunken">
          <tr>
            {head.map((cell, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other name
              <th key={column} className={cx(cellClass, 'font-semibold')}>
                {cell}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name
            <tr key={index}>
              {row.map((cell, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other name
                <td key={column} className={cellClass}>
                  <Markdown text={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
