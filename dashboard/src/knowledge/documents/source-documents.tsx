/** The documents of a source: found by title, narrowed by state, page by page. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { FileSearch, Plus } from 'lucide-react';
import { useRef, useState } from 'react';
import type { KnowledgeDocument, KnowledgeSource } from '../../../../contract/knowledge.ts';
import { useShortcut } from '../../app/shortcuts.tsx';
import { useMay } from '../../data/session.ts';
import { EntityList, LoadMore } from '../../settings/parts/entity-list.tsx';
import { Answer } from '../../settings/parts/section.tsx';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { SearchInput } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { EmptyState } from '../../ui/display/states.tsx';
import { Time } from '../../ui/display/time.tsx';
import { documentsQuery } from '../knowledge-data.ts';
import { DocumentBadges, LinkRow, SourceIcon, toItem } from '../knowledge-parts.tsx';
import { explain } from '../service-words.ts';
import { useSettledText } from '../settled-text.ts';
import { DocumentMenu } from './document-menu.tsx';
import { FileDrop } from './file-drop.tsx';

type State = KnowledgeDocument['state'];
const states = ['published', 'draft', 'failed', 'gone'] as const satisfies readonly State[];

export function SourceDocuments({ source }: { source: KnowledgeSource }) {
  const { id, kind } = source;
  const mayManage = useMay('knowledge.manage');
  const [text, setText] = useState('');
  const [state, setState] = useState<State | 'all'>('all');
  const field = useRef<HTMLInputElement>(null);
  const q = useSettledText(text);
  const query = useInfiniteQuery(
    documentsQuery({ sourceId: id, ...(state !== 'all' && { state }), ...(q !== '' && { q }) }),
  );
  const documents = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const isFiltered = state !== 'all' || q !== '';
  useShortcut('/', () => field.current?.focus(), { label: t('knowledge.document.find'), group: 'list' });
  return (
    <div className="flex flex-col gap-3">
      {kind === 'files' && mayManage && <FileDrop sourceId={id} />}
      <div className="flex flex-wrap gap-2">
        <SearchInput
          ref={field}
          label={t('knowledge.document.find')}
          className="min-w-0 flex-1 basis-48"
          value={text}
          onChange={setText}
        />
        <Select<State | 'all'>
          label={t('knowledge.document.state')}
          className="h-7! w-40!"
          value={state}
          onChange={setState}
          options={[
            { value: 'all', label: t('knowledge.state.all') },
            ...states.map((value) => ({ value, label: t(`knowledge.state.${value}`) })),
          ]}
        />
      </div>
      <Answer query={query}>
        {() =>
          documents.length === 0 && !isFiltered ? (
            <NoDocuments source={source} />
          ) : (
            <EntityList
              label={kind === 'website' ? t('knowledge.pages') : t('knowledge.documents')}
              items={documents}
              empty={{
                icon: <FileSearch className="size-4" />,
                title: t('ui.nothingFound'),
                text: t('knowledge.document.nothingFound'),
              }}
              row={(document) => <DocumentRow key={document.id} document={document} kind={kind} />}
            />
          )
        }
      </Answer>
      <LoadMore query={query} />
    </div>
  );
}

interface DocumentRowProps {
  document: KnowledgeDocument;
  kind: KnowledgeSource['kind'] | undefined;
}

export function DocumentRow({ document, kind }: DocumentRowProps) {
  const { id, title, url, problem, updatedAt } = document;
  const mayManage = useMay('knowledge.manage');
  return (
    <LinkRow
      to={toItem('documents', id)}
      title={title}
      badges={<DocumentBadges document={document} />}
      text={problem ? <span className="text-danger">{explain(problem)}</span> : url}
      end={<Time ago at={updatedAt} className="tabular shrink-0 text-sm text-muted max-sm:hidden" />}
      menu={mayManage && <DocumentMenu document={document} kind={kind} />}
    />
  );
}

function NoDocuments({ source: { id, kind, lastRunId } }: { source: KnowledgeSource }) {
  const navigate = useNavigate();
  const mayManage = useMay('knowledge.manage');
  const manager =
    lastRunId === null ? t(`knowledge.emptyText.${kind}`) : t('knowledge.emptyText.unpublished');
  const emptyText = mayManage ? manager : t('knowledge.emptyText.reader');
  return (
    <EmptyState
      icon={<SourceIcon kind={kind} />}
      title={lastRunId === null ? t(`knowledge.empty.${kind}`) : t('knowledge.empty.unpublished')}
      text={emptyText}
      action={
        kind === 'articles' &&
        mayManage && (
          <Button icon={<Plus className="size-3.5" />} onClick={() => void navigate(toItem('new', id))}>
            {t('knowledge.article.new')}
          </Button>
        )
      }
    />
  );
}
