import { Fragment } from 'react';

/** A text with what matched marked. */
export function Excerpt({
  text,
  ranges,
}: {
  text: string;
  ranges: readonly { start: number; end: number }[];
}) {
  let from = 0;
  return (
    <>
      {ranges.map(({ start, end }) => {
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
