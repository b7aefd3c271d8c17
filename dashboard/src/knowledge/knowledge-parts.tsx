/** What the views of knowledge share: links between them, states, and rows. */
import { Link } from '@tanstack/react-router';
import { ArrowLeft, ChevronRight, FileText, Globe, Newspaper } from 'lucide-react';
import type { ReactNode } from 'react';
import type { KnowledgeDocument, KnowledgeRun, KnowledgeSource } from '../../../contract/knowledge.ts';
import { t } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';
import { Badge } from '../ui/display/badge.tsx';
import type { Hue } from '../ui/hues.ts';

/**
 * `new`: an article of the source with this id. `edit`: the document with this id. `help-center`: a page about it.
 * `meaning`: the settings of search by meaning.
 * `collections`: the documents of this one, or of `none`.
 */
export type KnowledgePart =
  | 'sources'
  | 'documents'
  | 'runs'
  | 'edit'
  | 'new'
  | 'help-center'
  | 'collections'
  | 'questions'
  | 'meaning';

export const toItem = (part: KnowledgePart, itemId: string) =>
  ({ to: '/knowledge/$part/$itemId', params: { part, itemId } }) as const;

/** To the list of sources, or to the thing that this one is a part of. */
export function BackLink({ to, label }: { to?: ReturnType<typeof toItem>; label: string }) {
  const look =
    'flex size-7 shrink-0 items-center justify-center rounded-control text-muted transition-colors hover:bg-hover hover:text-ink';
  const icon = <ArrowLeft className="size-4" />;
  return to ? (
    <Link {...to} aria-label={label} title={label} className={look}>
      {icon}
    </Link>
  ) : (
    <Link to="/knowledge" aria-label={label} title={label} className={look}>
      {icon}
    </Link>
  );
}

export function SourceIcon({
  kind,
  className = 'size-4',
}: {
  kind: KnowledgeSource['kind'];
  className?: string;
}) {
  if (kind === 'website') return <Globe aria-hidden className={className} />;
  return kind === 'files' ? (
    <FileText aria-hidden className={className} />
  ) : (
    <Newspaper aria-hidden className={className} />
  );
}

const documentHues: { [state in KnowledgeDocument['state']]: Hue | undefined } = {
  draft: undefined,
  published: 'green',
  failed: 'red',
  gone: 'yellow',
};
const runHues: { [state in KnowledgeRun['state']]: Hue | undefined } = {
  running: 'blue',
  review: 'yellow',
  published: 'green',
  cancelled: undefined,
  failed: 'red',
};

export const RunState = ({ run: { state } }: { run: KnowledgeRun }) => (
  <Badge hue={runHues[state]}>{t(`knowledge.run.state.${state}`)}</Badge>
);

export const isBeingRead = ({ state, version }: Pick<KnowledgeDocument, 'state' | 'version'>) =>
  state === 'draft' && version === 0;

/** A published version is in use while a newer one is being written. */
export const hasNewerDraft = ({ version, publishedVersion }: KnowledgeDocument) =>
  publishedVersion !== null && version > publishedVersion;

export function DocumentBadges({ document }: { document: KnowledgeDocument }) {
  const { state, audience } = document;
  return (
    <span className="flex shrink-0 items-center gap-1">
      {isBeingRead(document) ? (
        <Badge hue="blue">{t('knowledge.reading')}</Badge>
      ) : (
        <Badge hue={documentHues[state]}>{t(`knowledge.state.${state}`)}</Badge>
      )}
      {hasNewerDraft(document) && <Badge className="max-sm:hidden">{t('knowledge.newerDraft')}</Badge>}
      {audience === 'internal' && <Badge hue="blue">{t('knowledge.audience.internal')}</Badge>}
    </span>
  );
}

/** A row of a list that leads to a page of its own, with what can be done at its end. */
export function LinkRow({
  to,
  mark,
  title,
  badges,
  text,
  end,
  menu,
}: {
  to: ReturnType<typeof toItem>;
  mark?: ReactNode;
  title: string;
  badges?: ReactNode;
  text?: ReactNode;
  end?: ReactNode;
  menu?: ReactNode;
}) {
  return (
    <li className="group flex items-center border-b border-line last:border-0">
      <Link
        {...to}
        data-knowledge-row=""
        className={cx(
          'flex min-h-14 min-w-0 flex-1 items-center gap-3 px-3 py-2 transition-colors group-first:rounded-t-panel group-last:rounded-b-panel hover:bg-hover focus-visible:-outline-offset-2',
        )}
      >
        {mark}
        <span className="flex min-w-0 flex-1 flex-col">
          <span className="flex min-w-0 items-center gap-2">
            <span title={title} className="truncate font-medium">
              {title}
            </span>
            {badges}
          </span>
          {text && <span className="truncate text-muted">{text}</span>}
        </span>
        {end}
        {!menu && <ChevronRight aria-hidden className="size-4 shrink-0 text-faint" />}
      </Link>
      {menu && <span className="px-2">{menu}</span>}
    </li>
  );
}

/** The middle of a page: as wide as a text is read. */
export const PageBody = ({ children, wide }: { children: ReactNode; wide?: boolean }) => (
  <div className="min-h-0 flex-1 overflow-y-auto px-4 pt-4 pb-16 md:px-6">
    <div className={cx('mx-auto flex flex-col gap-5', wide ? 'max-w-6xl' : 'max-w-4xl')}>{children}</div>
  </div>
);

export const Notice = ({
  tone,
  children,
  action,
}: {
  tone: 'warning' | 'danger' | 'plain';
  children: ReactNode;
  action?: ReactNode;
}) => (
  <div
    className={cx(
      'flex flex-wrap items-center justify-between gap-x-4 gap-y-2 rounded-panel px-3 py-2',
      tone === 'warning' && 'bg-warning-soft text-warning',
      tone === 'danger' && 'bg-danger-soft text-danger',
      tone === 'plain' && 'border border-line bg-sunken text-muted',
    )}
  >
    <div className="min-w-0 flex-1 basis-64 text-pretty wrap-anywhere">{children}</div>
    {action && <div className="flex shrink-0 gap-2">{action}</div>}
  </div>
);
