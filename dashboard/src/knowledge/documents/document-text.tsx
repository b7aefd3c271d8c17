/** The text of a document as it is read. Long ones are drawn piece by piece: they may have two million characters. */
import { useQuery } from '@tanstack/react-query';
import { ImageOff } from 'lucide-react';
import { useMemo, useState } from 'react';
import { type ArticleBlock, parseArticle } from '../../../../contract/markdown/article.ts';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { Button } from '../../ui/controls/button.tsx';
import { MarkdownBlocks, MarkdownInlines } from '../../ui/display/markdown.tsx';
import { Skeleton } from '../../ui/display/states.tsx';
import { uploadedImage } from '../articles/article-images.ts';
import { imageQuery } from '../knowledge-data.ts';

const pieceLength = 60_000;

export function DocumentText({ text }: { text: string }) {
  const [length, setLength] = useState(pieceLength);
  const end = useMemo(() => endOf(text, length), [text, length]);
  const blocks = useMemo(() => parseArticle(text.slice(0, end)), [text, end]);
  return (
    <div className="flex min-w-0 flex-col gap-3 text-md">
      {blocks.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other name
        <Part key={index} block={block} />
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

function Part({ block }: { block: ArticleBlock }) {
  if (block.kind === 'table') return <Table {...block} />;
  if (block.kind === 'image') return <Image {...block} />;
  if (block.kind !== 'heading') return <MarkdownBlocks blocks={[block]} />;
  // The page has a heading of the first level already.
  const Heading = `h${Math.min(6, block.level + 1)}` as 'h2';
  return (
    <Heading
      className={cx('mt-2 font-semibold text-balance first:mt-0', sizes[block.level - 1] ?? 'text-md')}
    >
      <MarkdownInlines inlines={block.inlines} />
    </Heading>
  );
}

/** Images are files of the workspace: their address is asked for and ends after a while. */
function Image({ alt, fileKey }: Extract<ArticleBlock, { kind: 'image' }>) {
  const here = uploadedImage(fileKey);
  const { data, isPending } = useQuery({ ...imageQuery(fileKey), enabled: here === undefined });
  const src = here ?? data?.downloadUrl;
  if (src) return <img src={src} alt={alt} className="max-w-full self-start rounded-control" />;
  if (isPending) return <Skeleton className="h-40 w-full" />;
  return (
    <p className="flex items-center gap-2 text-muted">
      <ImageOff aria-hidden className="size-4 shrink-0" />
      {t('knowledge.document.noImage', { alt })}
    </p>
  );
}

const cellClass = 'border border-line px-2.5 py-1.5 text-left align-top';

function Table({ head, rows }: Extract<ArticleBlock, { kind: 'table' }>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled by keyboard
    <div className="overflow-x-auto" tabIndex={0}>
      <table className="border-collapse">
        <thead className="bg-sunken">
          <tr>
            {head.map((cell, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other name
              <th key={column} scope="col" className={cx(cellClass, 'font-semibold')}>
                <MarkdownInlines inlines={cell} />
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
                  <MarkdownInlines inlines={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
