/** Writes an article: Markdown beside its preview. Saving makes the next version; publishing puts it into use. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Suspense, useDeferredValue, useRef, useState } from 'react';
import { randomId } from '../../../../browser/random-id.ts';
import type {
  KnowledgeDocument,
  KnowledgeDocumentUpdate,
  KnowledgeDocumentWithText,
} from '../../../../contract/knowledge.ts';
import { limits } from '../../../../contract/limits.ts';
import { lazyView } from '../../app/lazy-view.tsx';
import { useLeaveGuard } from '../../app/leave-guard.tsx';
import { NoAccess } from '../../app/no-page.tsx';
import { PageHeader } from '../../app/page-header.tsx';
import { useShortcut } from '../../app/shortcuts.tsx';
import { api } from '../../data/api.ts';
import { ApiError, describeError } from '../../data/errors.ts';
import { queryClient } from '../../data/query-client.ts';
import { useMay } from '../../data/session.ts';
import { Answer } from '../../settings/parts/section.tsx';
import { number } from '../../texts/format.ts';
import { languageName } from '../../texts/language-name.ts';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { Button } from '../../ui/controls/button.tsx';
import { controlClass, Field } from '../../ui/controls/input.tsx';
import { Segmented } from '../../ui/controls/segmented.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { readAgain } from '../documents/document-actions.ts';
import { DocumentPage, TextSkeleton } from '../documents/document-page.tsx';
import { DocumentText } from '../documents/document-text.tsx';
import { placeCollections } from '../help-center/collection-tree.ts';
import { collectionsQuery, documentQuery, sourcesQuery } from '../knowledge-data.ts';
import { BackLink, Notice, PageBody, toItem } from '../knowledge-parts.tsx';
import { LanguageSelect } from '../language-select.tsx';
import { ArticleConflict } from './article-conflict.tsx';
import { imagesIn, insertLine, uploadImage } from './article-images.ts';
import { SameTitle } from './same-title.tsx';

const OriginalText = lazyView(() => import('../translations/original-text.tsx'), 'OriginalText');

interface Article {
  title: string;
  text: string;
  /** Empty: that of the source. */
  language: string;
  audience: KnowledgeDocument['audience'];
  collectionId: string | null;
}

const articleOf = ({
  title,
  text,
  language,
  audience,
  collectionId,
}: KnowledgeDocumentWithText): Article => ({
  title,
  text,
  language,
  audience,
  collectionId,
});

/** What is shown of it. On a wide page the text stays. */
type Mode = 'write' | 'preview' | 'original';

/** What the article is a change of; null: it does not exist yet. */
interface Base {
  id: string;
  version: number;
}

export function NewArticle({ id }: { id: string }) {
  const empty: Article = { title: '', text: '', language: '', audience: 'public', collectionId: null };
  return <Editor sourceId={id} base={null} start={empty} publishedVersion={null} originalId={null} />;
}

const originalSegment = () => ({ value: 'original' as const, label: t('knowledge.translation.original') });

/** The newest version is what is changed, also if another one is in use. */
export function ArticleEditor({ id }: { id: string }) {
  const inUse = useQuery(documentQuery(id));
  const newest = useQuery({
    ...documentQuery(id, inUse.data?.version),
    enabled: inUse.isFetchedAfterMount && inUse.data !== undefined,
  });
  // Once: what others save later must not replace what is being typed.
  const started = useRef<KnowledgeDocumentWithText | null>(null);
  if (newest.isFetchedAfterMount && newest.data) started.current ??= newest.data;
  const sources = useQuery(sourcesQuery);
  const document = started.current;
  const source = sources.data?.find((one) => one.id === document?.sourceId);
  // By address: only articles are written here.
  if (source && source.kind !== 'articles') return <DocumentPage id={id} />;
  if (!document || sources.isPending) {
    return (
      <>
        <PageHeader title={t('knowledge.article.edit')} mark={<BackLink label={t('knowledge.all')} />} />
        <PageBody>
          <Answer
            query={inUse.isError ? inUse : { ...newest, data: undefined, isPending: !newest.isError }}
            loading={<TextSkeleton />}
          >
            {() => <TextSkeleton />}
          </Answer>
        </PageBody>
      </>
    );
  }
  return (
    <Editor
      sourceId={document.sourceId}
      base={{ id, version: document.version }}
      start={articleOf(document)}
      publishedVersion={document.publishedVersion}
      originalId={document.translationOf}
    />
  );
}

interface EditorProps {
  sourceId: string;
  base: Base | null;
  start: Article;
  publishedVersion: number | null;
  /** Of a translation: what it is beside. */
  originalId: string | null;
}

function Editor({ sourceId, base: startBase, start, publishedVersion, originalId }: EditorProps) {
  const navigate = useNavigate();
  const mayManage = useMay('knowledge.manage');
  const source = useQuery(sourcesQuery).data?.find(({ id }) => id === sourceId);
  const languageOfSource = source?.language
    ? languageName(source.language)
    : t('knowledge.source.workspaceLanguage');
  const collections = placeCollections(useQuery(collectionsQuery).data ?? []);
  const [article, setArticle] = useState(start);
  const [base, setBase] = useState(startBase);
  const [saved, setSaved] = useState(start);
  const [busy, setBusy] = useState<'draft' | 'published' | null>(null);
  /** The page that follows shows what is stored: nothing is typed that it would not have. */
  const [isLocked, setLocked] = useState(false);
  const [uploads, setUploads] = useState(0);
  const [error, setError] = useState('');
  const [conflict, setConflict] = useState<KnowledgeDocumentWithText | null>(null);
  const [mode, setMode] = useState<Mode>('write');
  /** Beside the text, where there is room for both. */
  const side = originalId !== null && mode !== 'preview' ? 'original' : 'preview';
  const preview = useDeferredValue(article.text);
  const sendOnce = useRef(createOnce()).current;
  const isChanged = (Object.keys(article) as (keyof Article)[]).some((part) => article[part] !== saved[part]);
  const guard = useLeaveGuard(isChanged, article.title, {
    title: t('knowledge.article.leaveTitle'),
    text: t('knowledge.article.leaveText'),
    leave: t('knowledge.article.leave'),
    stay: t('knowledge.article.stay'),
    signOut: t('knowledge.article.signOut'),
  });
  const isReady = article.title.trim() !== '' && uploads === 0;
  const change = (parts: Partial<Article>) => setArticle((now) => ({ ...now, ...parts }));

  /** Where the caret is when an image is there: typing goes on meanwhile. */
  const addImages = async (images: readonly File[], area: HTMLTextAreaElement) => {
    setUploads((now) => now + 1);
    for (const image of images) {
      try {
        const line = await uploadImage(image);
        const { selectionStart, selectionEnd } = area;
        setArticle((now) => ({ ...now, text: insertLine(now.text, line, selectionStart, selectionEnd) }));
      } catch (failure) {
        toast.failed(t('knowledge.article.imageFailed', { name: image.name }), failure);
      }
    }
    setUploads((now) => now - 1);
  };

  const save = async (state: 'draft' | 'published', on: Base | null = base) => {
    if (!isReady || busy) return;
    setBusy(state);
    setLocked(state === 'published' || !on);
    setError('');
    try {
      const document = await store(sendOnce, sourceId, on, article, saved, state, (parts, stored) => {
        setSaved((now) => ({ ...now, ...parts }));
        if (!stored) return;
        setBase({ id: stored.id, version: stored.version });
        setConflict(null);
      });
      guard.allow(state === 'published' || !on);
      await readAgain(document.id);
      toast.done(state === 'published' ? t('knowledge.article.published') : t('knowledge.article.saved'));
      if (state === 'published') await navigate(toItem('documents', document.id));
      else if (!on) await navigate({ ...toItem('edit', document.id), replace: true });
    } catch (failure) {
      if (on && failure instanceof ApiError && failure.code === 'CONFLICT') {
        setConflict(await readNewest(on.id).catch(() => null));
      }
      setError(describeError(failure).text);
    } finally {
      setBusy(null);
      setLocked(false);
    }
  };
  useShortcut(
    'mod+s',
    (event) => {
      event.preventDefault();
      void save('draft');
    },
    { label: t('knowledge.article.saveDraft'), group: 'general' },
  );
  useShortcut('mod+enter', () => void save('published'), {
    label: t('knowledge.article.publish'),
    group: 'general',
  });

  if (!mayManage) return <NoAccess />;
  const back = base ? toItem('documents', base.id) : toItem('sources', sourceId);
  return (
    <>
      <PageHeader
        title={base ? t('knowledge.article.edit') : t('knowledge.article.new')}
        mark={<BackLink to={back} label={base ? start.title : (source?.name ?? t('knowledge.source'))} />}
        actions={
          <>
            <span aria-live="polite" className="text-sm text-muted max-sm:hidden">
              {isChanged ? t('knowledge.article.unsaved') : base ? t('ui.saved') : ''}
            </span>
            <Button busy={busy === 'draft'} disabled={!isReady} onClick={() => void save('draft')}>
              {t('knowledge.article.saveDraft')}
            </Button>
            <Button
              tone="primary"
              busy={busy === 'published'}
              disabled={!isReady}
              onClick={() => void save('published')}
            >
              {t('knowledge.article.publish')}
            </Button>
          </>
        }
      />
      <PageBody wide>
        {conflict && base ? (
          <ArticleConflict
            theirs={conflict}
            mine={article}
            onKeepMine={() => void save('draft', { id: base.id, version: conflict.version })}
            onTakeTheirs={() => {
              setArticle(articleOf(conflict));
              setSaved(articleOf(conflict));
              setBase({ id: base.id, version: conflict.version });
              setConflict(null);
              setError('');
            }}
          />
        ) : (
          error && (
            <Notice tone="danger">
              <span role="alert">{error}</span>
            </Notice>
          )
        )}
        <div
          className={cx(
            'grid gap-4',
            collections.length > 0
              ? 'sm:grid-cols-2 lg:grid-cols-[1fr_14rem_11rem_11rem]'
              : 'sm:grid-cols-[1fr_11rem_11rem]',
          )}
        >
          <TextField
            label={t('knowledge.article.title')}
            value={article.title}
            maxLength={limits.titleLength}
            readOnly={isLocked}
            autoFocus={!base}
            onChange={(title) => change({ title })}
          />
          {collections.length > 0 && (
            <Field label={t('knowledge.collection')}>
              {(ids) => (
                <Select
                  {...ids}
                  value={article.collectionId ?? 'none'}
                  disabled={isLocked}
                  onChange={(id) => change({ collectionId: id === 'none' ? null : id })}
                  options={[
                    { value: 'none', label: t('knowledge.collection.none') },
                    ...collections.map(({ collection }) => ({
                      value: collection.id,
                      label: collection.name,
                    })),
                  ]}
                />
              )}
            </Field>
          )}
          <LanguageSelect
            label={t('knowledge.language')}
            value={article.language}
            none={start.language === '' ? languageOfSource : undefined}
            disabled={isLocked}
            onChange={(language) => change({ language })}
          />
          <Field label={t('knowledge.audience')}>
            {(ids) => (
              <Select
                {...ids}
                value={article.audience}
                disabled={isLocked}
                onChange={(audience) => change({ audience })}
                options={(['public', 'internal'] as const).map((value) => ({
                  value,
                  label: t(`knowledge.audience.${value}`),
                }))}
              />
            )}
          </Field>
        </div>
        <SameTitle
          title={article.title}
          language={article.language || (source?.language ?? '')}
          ownId={base?.id ?? null}
        />
        {article.audience === 'internal' && (
          <p className="-mt-3 text-sm text-muted">{t('knowledge.audience.internalHint')}</p>
        )}
        {article.audience === 'public' && saved.audience === 'internal' && publishedVersion !== null && (
          <p className="-mt-3 text-sm text-muted">{t('knowledge.audience.publicLater')}</p>
        )}
        <div className="flex items-center justify-between gap-3 lg:hidden">
          <Segmented<Mode>
            label={t('knowledge.article.view')}
            value={mode}
            onChange={setMode}
            segments={[
              { value: 'write', label: t('knowledge.article.write') },
              { value: 'preview', label: t('knowledge.article.preview') },
              ...(originalId === null ? [] : [originalSegment()]),
            ]}
          />
        </div>
        {originalId !== null && (
          <div className="max-lg:hidden">
            <Segmented<Mode>
              label={t('knowledge.translation.beside')}
              value={side}
              onChange={setMode}
              segments={[originalSegment(), { value: 'preview', label: t('knowledge.article.preview') }]}
            />
          </div>
        )}
        <div className="grid gap-4 lg:h-[calc(100dvh-14rem)] lg:min-h-80 lg:grid-cols-2">
          <textarea
            aria-label={t('knowledge.article.text')}
            placeholder={t('knowledge.article.textHint')}
            value={article.text}
            maxLength={limits.articleLength}
            readOnly={isLocked}
            onChange={(event) => change({ text: event.target.value })}
            onPaste={(event) => {
              const images = imagesIn(event.clipboardData.files);
              if (images.length === 0 || isLocked) return;
              event.preventDefault();
              void addImages(images, event.currentTarget);
            }}
            onDragOver={(event) => {
              // Otherwise the browser opens the file that is dropped.
              if (event.dataTransfer.types.includes('Files')) event.preventDefault();
            }}
            onDrop={(event) => {
              if (event.dataTransfer.files.length === 0) return;
              event.preventDefault();
              const images = imagesIn(event.dataTransfer.files);
              if (images.length > 0 && !isLocked) void addImages(images, event.currentTarget);
            }}
            className={cx(
              controlClass,
              'min-h-[50dvh] resize-none p-3 font-mono text-base leading-6',
              mode !== 'write' && 'max-lg:hidden',
            )}
          />
          <section
            aria-label={
              side === 'original' ? t('knowledge.translation.original') : t('knowledge.article.preview')
            }
            lang={(side === 'preview' && article.language) || undefined}
            className={cx(
              'min-w-0 overflow-y-auto rounded-control border border-line p-4',
              mode === 'write' && 'max-lg:hidden',
              originalId !== null && 'lg:order-first',
            )}
          >
            {originalId !== null && base && side === 'original' ? (
              <Suspense fallback={<TextSkeleton />}>
                <OriginalText id={originalId} translationId={base.id} />
              </Suspense>
            ) : preview.trim() === '' ? (
              <p className="text-muted">{t('knowledge.article.previewEmpty')}</p>
            ) : (
              <DocumentText text={preview} />
            )}
          </section>
        </div>
        <p className="tabular flex flex-wrap justify-between gap-2 text-sm text-muted">
          <span>
            {publishedVersion !== null ? t('knowledge.article.draftHint') : t('knowledge.article.newHint')}
          </span>
          <span>
            {t('knowledge.article.length', {
              count: number(article.text.length),
              max: number(limits.articleLength),
            })}
          </span>
        </p>
      </PageBody>
      {guard.dialog}
    </>
  );
}

/** If a response is lost and the person saves again, the service repeats its answer instead of writing another version. */
function createOnce() {
  let last = { request: '', key: '' };
  return async (method: 'POST' | 'PUT', path: string, body: object): Promise<KnowledgeDocument> => {
    const request = JSON.stringify([method, path, body]);
    if (request !== last.request) last = { request, key: randomId() };
    try {
      return await api<KnowledgeDocument>(method, path, { body, idempotencyKey: last.key });
    } catch (error) {
      // It would be rejected again, also when its reason is gone.
      if (error instanceof ApiError && error.status < 500) last = { request: '', key: '' };
      throw error;
    }
  };
}

/**
 * Language, audience and collection belong to the document, not to a version of it. `onStored` is called after each request: a later
 * one may fail.
 */
async function store(
  sendOnce: ReturnType<typeof createOnce>,
  sourceId: string,
  base: Base | null,
  article: Article,
  saved: Article,
  state: 'draft' | 'published',
  onStored: (parts: Partial<Article>, document?: KnowledgeDocument) => void,
): Promise<KnowledgeDocument> {
  const { title, text, language, audience, collectionId } = article;
  const written = { title: title.trim(), text };
  const isPublished = state === 'published' && { state };
  if (!base) {
    const document = await sendOnce('POST', '/knowledge/documents', {
      ...{ sourceId, ...written, audience, collectionId },
      ...(language && { language }),
      ...isPublished,
    });
    onStored(article, document);
    return document;
  }
  const path = `/knowledge/documents/${encodeURIComponent(base.id)}`;
  const patch = async (body: Pick<KnowledgeDocumentUpdate, 'audience' | 'language' | 'collectionId'>) => {
    await api('PATCH', path, { body });
    onStored(body);
  };
  const isOther = audience !== saved.audience;
  // The new text must not be public for a moment.
  if (isOther && audience === 'internal') await patch({ audience });
  const document = await sendOnce('PUT', path, {
    ...written,
    ...isPublished,
    expectedVersion: base.version,
  });
  onStored({ title, text, ...(!language && { language }) }, document);
  // Nor must the internal text in use become public: with a draft, the audience waits until that is published.
  const mayBePublic = state === 'published' || document.publishedVersion === null;
  const update = {
    ...(language && language !== saved.language && { language }),
    ...(collectionId !== saved.collectionId && { collectionId }),
    ...(isOther && audience === 'public' && mayBePublic && { audience }),
  };
  if (Object.keys(update).length > 0) await patch(update);
  return document;
}

async function readNewest(id: string): Promise<KnowledgeDocumentWithText> {
  const { version } = await queryClient.fetchQuery(documentQuery(id));
  return queryClient.fetchQuery(documentQuery(id, version));
}
