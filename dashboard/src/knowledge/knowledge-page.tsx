/** Knowledge: what agents and people look up. The sources, and the search over all of them. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { LifeBuoy, Plus } from 'lucide-react';
import { Suspense, useEffect, useRef, useState } from 'react';
import type { KnowledgeSource } from '../../../contract/knowledge.ts';
import { lazyView } from '../app/lazy-view.tsx';
import { NoAccess, NoPage } from '../app/no-page.tsx';
import { PageHeader } from '../app/page-header.tsx';
import { useShortcut } from '../app/shortcuts.tsx';
import { currentPerson, onSession, useMay } from '../data/session.ts';
import { EntityList } from '../settings/parts/entity-list.tsx';
import { RowIcon } from '../settings/parts/rows.tsx';
import { Answer } from '../settings/parts/section.tsx';
import { dayAndTime, fullDate } from '../texts/format.ts';
import { t, withTexts } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { SearchInput } from '../ui/controls/input.tsx';
import { ArticleEditor, NewArticle } from './articles/article-editor.tsx';
import { DocumentPage } from './documents/document-page.tsx';
import { runQuery, sourcesQuery } from './knowledge-data.ts';
import { useKnowledgeLive } from './knowledge-live.ts';
import { LinkRow, PageBody, RunState, SourceIcon, toItem } from './knowledge-parts.tsx';
import { useRowKeys } from './row-keys.ts';
import { FoundPassages } from './search/found-passages.tsx';
import { explain } from './service-words.ts';
import { useSettledText } from './settled-text.ts';
import { SourceForm } from './sources/source-form.tsx';
import { SourcePage } from './sources/source-page.tsx';
import { countsLine, SourceBadge } from './sources/source-words.tsx';
import { RunPage } from './websites/run-page.tsx';

const OpenGaps = lazyView(() => import('./gaps/open-gaps.tsx'), 'OpenGaps');
const HelpCenterPage = lazyView(
  withTexts('settings', () => import('./help-center/help-center-page.tsx')),
  'HelpCenterPage',
);
const QuestionsPage = lazyView(() => import('./questions/questions-page.tsx'), 'QuestionsPage');
const MeaningPage = lazyView(
  withTexts('settings', () => import('./meaning/meaning-page.tsx')),
  'MeaningPage',
);
const CollectionPage = lazyView(() => import('./help-center/collection-page.tsx'), 'CollectionPage');

/** One of what an address names, by its part. */
const items: { [part: string]: (props: { id: string }) => React.ReactNode } = {
  sources: SourcePage,
  documents: DocumentPage,
  runs: RunPage,
  edit: ArticleEditor,
  new: NewArticle,
  'help-center': HelpCenterPage,
  questions: QuestionsPage,
  meaning: MeaningPage,
  collections: CollectionPage,
};

export function KnowledgeItem() {
  const { part, itemId } = useParams({ from: '/shell/knowledge/$part/$itemId' });
  useKnowledgeLive();
  const mayView = useMay('knowledge.view');
  const Item = Object.hasOwn(items, part) ? items[part] : undefined;
  if (!mayView) return <NoAccess />;
  // Its items are tabs: the focus stays on the one that was chosen.
  const key = part === 'help-center' ? part : `${part} ${itemId}`;
  return Item ? <Item key={key} id={itemId} /> : <NoPage />;
}

/** Back from a passage, the search is as it was. */
let lastSearch = '';
onSession(() => {
  if (currentPerson() === null) lastSearch = '';
});

export function KnowledgePage() {
  useKnowledgeLive();
  useRowKeys();
  const mayView = useMay('knowledge.view');
  const mayManage = useMay('knowledge.manage');
  const [text, setText] = useState(lastSearch);
  const [isAdding, setAdding] = useState(false);
  const navigate = useNavigate();
  const field = useRef<HTMLInputElement>(null);
  const q = useSettledText(text);
  useEffect(() => {
    lastSearch = text;
  }, [text]);
  useShortcut('/', () => field.current?.focus(), { label: t('knowledge.search'), group: 'list' });
  if (!mayView) return <NoAccess />;
  return (
    <>
      <PageHeader
        title={t('rail.knowledge')}
        actions={
          mayManage && (
            <>
              <Button
                icon={<LifeBuoy className="size-3.5" />}
                onClick={() => void navigate(toItem('help-center', 'settings'))}
              >
                <span className="max-sm:sr-only">{t('knowledge.help')}</span>
              </Button>
              <Button tone="primary" icon={<Plus className="size-3.5" />} onClick={() => setAdding(true)}>
                {t('knowledge.source.add')}
              </Button>
            </>
          )
        }
      />
      <PageBody>
        <SearchInput
          ref={field}
          label={t('knowledge.search')}
          value={text}
          onChange={setText}
          onKeyDown={(event) => event.key === 'Escape' && setText('')}
        />
        {q === '' ? (
          <>
            <Sources />
            <Suspense fallback={null}>
              <OpenGaps />
            </Suspense>
            <TestQuestions />
            {mayManage && <Meaning />}
          </>
        ) : (
          <FoundPassages q={q} />
        )}
      </PageBody>
      {isAdding && <SourceForm source={null} onClose={() => setAdding(false)} />}
    </>
  );
}

function TestQuestions() {
  return (
    <section aria-labelledby="knowledge-questions" className="flex flex-col items-start gap-1">
      <h2 id="knowledge-questions" className="text-md font-semibold">
        {t('knowledge.questions')}
      </h2>
      <p className="text-pretty text-muted">{t('knowledge.questionsText')}</p>
      <Link {...toItem('questions', 'all')} className="underline underline-offset-2">
        {t('knowledge.questions.open')}
      </Link>
    </section>
  );
}

function Meaning() {
  return (
    <section aria-labelledby="knowledge-meaning" className="flex flex-col items-start gap-1">
      <h2 id="knowledge-meaning" className="text-md font-semibold">
        {t('knowledge.meaning')}
      </h2>
      <p className="text-pretty text-muted">{t('knowledge.meaning.short')}</p>
      <Link {...toItem('meaning', 'settings')} className="underline underline-offset-2">
        {t('knowledge.meaning.open')}
      </Link>
    </section>
  );
}

function Sources() {
  const sources = useQuery(sourcesQuery);
  return (
    <section aria-labelledby="knowledge-sources" className="flex flex-col gap-3">
      <div>
        <h2 id="knowledge-sources" className="text-md font-semibold">
          {t('knowledge.sources')}
        </h2>
        <p className="text-pretty text-muted">{t('knowledge.sourcesText')}</p>
      </div>
      <Answer query={sources}>
        {(list) => (
          <EntityList
            label={t('knowledge.sources')}
            items={list}
            search={{ label: t('knowledge.source.find'), textOf: ({ name }) => name }}
            row={(source) => <SourceRow key={source.id} source={source} />}
          />
        )}
      </Answer>
    </section>
  );
}

function SourceRow({ source }: { source: KnowledgeSource }) {
  const { id, name, kind, state, problem, nextSyncAt } = source;
  return (
    <LinkRow
      to={toItem('sources', id)}
      mark={
        <RowIcon>
          <SourceIcon kind={kind} />
        </RowIcon>
      }
      title={name}
      badges={
        <>
          <SourceBadge state={state} />
          <ReviewBadge source={source} />
        </>
      }
      text={
        state === 'problem' && problem ? (
          <span className="text-danger">{explain(problem)}</span>
        ) : (
          countsLine(source)
        )
      }
      end={
        <span className="shrink-0 text-right text-sm text-muted max-sm:hidden">
          <span className="block">{t(`knowledge.kind.${kind}`)}</span>
          {nextSyncAt !== null && (
            <span className="block" title={fullDate(nextSyncAt)}>
              {t('knowledge.nextSync', { time: dayAndTime(nextSyncAt) })}
            </span>
          )}
        </span>
      }
    />
  );
}

/** Its state is idle while its last run waits. */
function ReviewBadge({ source: { kind, state, lastRunId } }: { source: KnowledgeSource }) {
  const mayWait = kind === 'website' && state === 'idle' && lastRunId !== null;
  const { data: run } = useQuery({ ...runQuery(lastRunId ?? ''), enabled: mayWait });
  return mayWait && run?.state === 'review' ? <RunState run={run} /> : null;
}
