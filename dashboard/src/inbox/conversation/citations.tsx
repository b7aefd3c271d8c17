/** What a reply of an agent is based on: each with its excerpt, which stays when the document changes. */
import { BookOpen } from 'lucide-react';
import { useId, useState } from 'react';
import type { Citation } from '../../../../contract/knowledge.ts';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';

export function Citations({ citations }: { citations: readonly Citation[] | undefined }) {
  const [open, setOpen] = useState<number | null>(null);
  const id = useId();
  if (!citations || citations.length === 0) return null;
  const shown = open === null ? undefined : citations[open];
  return (
    <div className="flex max-w-full min-w-0 flex-col gap-1 px-1">
      <ul aria-label={t('inbox.citations')} className="flex flex-wrap gap-1">
        {citations.map((citation, index) => (
          <li key={`${citation.documentId} ${citation.start} ${citation.title}`} className="min-w-0">
            <button
              type="button"
              aria-expanded={open === index}
              aria-controls={id}
              onClick={() => setOpen(open === index ? null : index)}
              className={cx(
                'flex max-w-64 items-center gap-1 rounded-control border border-line px-1.5 py-0.5 text-sm text-muted hover:bg-hover',
                open === index && 'bg-hover text-ink',
              )}
            >
              <BookOpen aria-hidden className="size-3 shrink-0" />
              <span className="truncate">{citation.title || t('inbox.citation.untitled')}</span>
            </button>
          </li>
        ))}
      </ul>
      <div id={id} hidden={!shown}>
        {shown && <Excerpt citation={shown} />}
      </div>
    </div>
  );
}

function Excerpt({ citation: { heading, excerpt, url } }: { citation: Citation }) {
  return (
    <blockquote className="max-h-60 overflow-y-auto rounded-control border border-line bg-sunken px-3 py-2 text-sm">
      {heading && <p className="mb-1 font-medium">{heading}</p>}
      <p className="whitespace-pre-wrap wrap-anywhere">{excerpt}</p>
      {url && /^https?:\/\//i.test(url) && (
        <p className="mt-1 truncate">
          <a href={url} target="_blank" rel="noopener noreferrer" className="text-accent hover:underline">
            {url}
          </a>
        </p>
      )}
    </blockquote>
  );
}
