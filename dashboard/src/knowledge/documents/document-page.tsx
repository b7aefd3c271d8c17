/** One document: its text, its passages as agents see them, and its versions. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ExternalLink, FileX, SquarePen } from 'lucide-react';
import { Suspense, useState } from 'react';
import type { KnowledgeDocumentWithText } from '../../../../contract/knowledge.ts';
import { lazyView } from '../../app/lazy-view.tsx';
import { PageHeader } from '../../app/page-header.tsx';
import { ApiError } from '../../data/errors.ts';
import { usePersonOf } from '../../data/queries.ts';
import { useMay } from '../../data/session.ts';
import { Answer } from '../../settings/parts/section.tsx';
import { dateTime } from '../../texts/format.ts';
import { languageName } from '../../texts/language-name.ts';
import { t, tn } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Tabs } from '../../ui/controls/tabs.tsx';
import { EmptyState, Skeleton } from '../../ui/display/states.tsx';
import { documentQuery, sourcesQuery } from '../knowledge-data.ts';
import {
  BackLink,
  DocumentBadges,
  hasNewerDraft,
  isBeingRead,
  Notice,
  PageBody,
  toItem,
} from '../knowledge-parts.tsx';
import { explain } from '../service-words.ts';
import { changeDocument } from './document-actions.ts';
import { DocumentMenu } from './document-menu.tsx';
import { DocumentPassages } from './document-passages.tsx';
import { DocumentText } from './document-text.tsx';
import { DocumentVersions } from './document-versions.tsx';

const QualityPreview = lazyView(() => import('../questions/quality.tsx'), 'QualityPreview');
const DocumentTranslations = lazyView(
  () => import('../translations/document-translations.tsx'),
  'DocumentTranslations',
);
const DocumentUsage = lazyView(() => import('./document-usage.tsx'), 'DocumentUsage');

export function DocumentPage({ id }: { id: string }) {
  const query = useQuery(documentQuery(id));
  if (query.data) return <KnownDocument document={query.data} />;
  const isGone = query.error instanceof ApiError && query.error.status === 404;
  return (
    <>
      <PageHeader title={t('knowledge.document')} mark={<BackLink label={t('knowledge.all')} />} />
      <PageBody>
        {isGone ? (
          <EmptyState
            icon={<FileX className="size-4" />}
            title={t('knowledge.document.gone')}
            text={t('knowledge.document.goneText')}
          />
        ) : (
          <Answer query={query} loading={<TextSkeleton />}>
            {() => null}
          </Answer>
        )}
      </PageBody>
    </>
  );
}

export const TextSkeleton = () => (
  <div role="status" aria-label={t('ui.loading')} className="flex flex-col gap-2">
    {['w-1/2 h-5', 'w-full h-3', 'w-11/12 h-3', 'w-4/5 h-3', 'w-full h-3'].map((size) => (
      <Skeleton key={size} className={size} />
    ))}
  </div>
);

function KnownDocument({ document }: { document: KnowledgeDocumentWithText }) {
  const { id, sourceId, title, url, language, updatedAt, updatedBy, problem, text } = document;
  const { version, publishedVersion } = document;
  const navigate = useNavigate();
  const mayManage = useMay('knowledge.manage');
  const person = usePersonOf()(updatedBy);
  const source = useQuery(sourcesQuery).data?.find((one) => one.id === sourceId);
  const [tab, setTab] = useState('text');
  const isArticle = source?.kind === 'articles';
  const back = toItem('sources', sourceId);
  return (
    <>
      <PageHeader
        title={title}
        mark={<BackLink to={back} label={source?.name ?? t('knowledge.source')} />}
        actions={
          mayManage && (
            <>
              {isArticle && (
                <Button
                  tone="primary"
                  icon={<SquarePen className="size-3.5" />}
                  onClick={() => void navigate(toItem('edit', id))}
                >
                  {t('knowledge.article.edit')}
                </Button>
              )}
              <DocumentMenu
                document={document}
                kind={source?.kind}
                onDeleted={() => void navigate({ ...back, replace: true })}
              />
            </>
          )
        }
      />
      <PageBody>
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">
          <DocumentBadges document={document} />
          <span>{languageName(language)}</span>
          <span>
            {person
              ? t('knowledge.document.updatedBy', { time: dateTime(updatedAt), name: person.name })
              : t('knowledge.document.updated', { time: dateTime(updatedAt) })}
          </span>
          {url && /^https?:\/\//i.test(url) && (
            <a
              href={url}
              target="_blank"
              rel="noopener noreferrer"
              className="inline-flex min-w-0 items-center gap-1 hover:underline"
            >
              <span className="truncate">{url}</span>
              <ExternalLink aria-hidden className="size-3 shrink-0" />
            </a>
          )}
        </div>
        {problem && <Notice tone="danger">{explain(problem)}</Notice>}
        {isBeingRead(document) && <Notice tone="plain">{t('knowledge.document.beingRead')}</Notice>}
        {hasNewerDraft(document) && (
          <Notice
            tone="warning"
            action={
              mayManage && (
                <Button onClick={() => void changeDocument(id, { state: 'published' })}>
                  {t('knowledge.document.publish')}
                </Button>
              )
            }
          >
            {t('knowledge.document.newer', { version: document.version })}
          </Notice>
        )}
        {mayManage && version > (publishedVersion ?? 0) && (
          <Suspense fallback={null}>
            {/* What was measured is about that version. */}
            <QualityPreview key={version} asIf={{ documentId: id }} />
          </Suspense>
        )}
        <Tabs
          flush
          label={t('knowledge.document')}
          value={tab}
          onChange={setTab}
          tabs={[
            {
              value: 'text',
              label: t('knowledge.document.text'),
              content: (
                <article lang={language} className="pt-4">
                  {text === '' ? (
                    <p className="text-muted">{t('knowledge.document.noText')}</p>
                  ) : (
                    <DocumentText text={text} />
                  )}
                </article>
              ),
            },
            {
              value: 'passages',
              label: t('knowledge.passages'),
              content: (
                <div className="pt-4">
                  <DocumentPassages id={id} />
                </div>
              ),
            },
            ...(isArticle
              ? [
                  {
                    value: 'translations',
                    label: t('knowledge.translations'),
                    content: (
                      <div className="pt-4">
                        <Suspense fallback={<TextSkeleton />}>
                          <DocumentTranslations document={document} />
                        </Suspense>
                      </div>
                    ),
                  },
                ]
              : []),
            {
              value: 'usage',
              label: t('knowledge.usage'),
              content: (
                <div className="pt-4">
                  <Suspense fallback={<TextSkeleton />}>
                    <DocumentUsage id={id} />
                  </Suspense>
                </div>
              ),
            },
            {
              value: 'versions',
              label: t('knowledge.versions'),
              content: (
                <div className="pt-4">
                  <DocumentVersions document={document} mayRestore={isArticle && mayManage} />
                </div>
              ),
            },
          ]}
        />
        <p className="tabular text-sm text-faint">{tn('knowledge.characters', document.characters)}</p>
      </PageBody>
    </>
  );
}
