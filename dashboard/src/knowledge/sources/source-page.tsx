/** One source: its state, its documents and, of a website, what its syncs have read. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Ellipsis, LibraryBig, Plus, RefreshCw, Settings, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { KnowledgeSource } from '../../../../contract/knowledge.ts';
import { PageHeader } from '../../app/page-header.tsx';
import { api } from '../../data/api.ts';
import { refresh } from '../../data/refresh.ts';
import { useMay } from '../../data/session.ts';
import { ConfirmButton } from '../../settings/parts/confirm-button.tsx';
import { Answer } from '../../settings/parts/section.tsx';
import { dayAndTime } from '../../texts/format.ts';
import { t, tn } from '../../texts/texts.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { Tabs } from '../../ui/controls/tabs.tsx';
import { EmptyState } from '../../ui/display/states.tsx';
import { ConfirmByName } from '../../ui/overlays/dialog.tsx';
import { Menu, MenuItem } from '../../ui/overlays/menu.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { SourceDocuments } from '../documents/source-documents.tsx';
import { knowledgeKeys, runQuery, sourcesQuery } from '../knowledge-data.ts';
import { BackLink, Notice, PageBody, SourceIcon, toItem } from '../knowledge-parts.tsx';
import { useRowKeys } from '../row-keys.ts';
import { explain } from '../service-words.ts';
import { LastRun } from '../websites/last-run.tsx';
import { SourceRuns } from '../websites/source-runs.tsx';
import { SourceForm } from './source-form.tsx';
import { countsLine, SourceBadge } from './source-words.tsx';

export function SourcePage({ id }: { id: string }) {
  const sources = useQuery(sourcesQuery);
  const source = sources.data?.find((one) => one.id === id);
  if (source) return <KnownSource source={source} />;
  return (
    <>
      <PageHeader title={t('knowledge.source')} mark={<BackLink label={t('knowledge.all')} />} />
      <PageBody>
        <Answer query={sources}>
          {() => (
            <EmptyState
              icon={<LibraryBig className="size-4" />}
              title={t('knowledge.source.gone')}
              text={t('knowledge.source.goneText')}
            />
          )}
        </Answer>
      </PageBody>
    </>
  );
}

function KnownSource({ source }: { source: KnowledgeSource }) {
  const { id, name, kind, state, problem, nextSyncAt } = source;
  const mayManage = useMay('knowledge.manage');
  const [tab, setTab] = useState('documents');
  useRowKeys();
  const documents = <SourceDocuments source={source} />;
  return (
    <>
      <PageHeader
        title={name}
        mark={
          <>
            <BackLink label={t('knowledge.all')} />
            <SourceIcon kind={kind} className="size-4 shrink-0 text-muted" />
          </>
        }
        actions={mayManage && <SourceActions source={source} />}
      />
      <PageBody>
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-muted">
          <SourceBadge state={state} />
          <span>{countsLine(source)}</span>
          {nextSyncAt !== null && <span>{t('knowledge.nextSync', { time: dayAndTime(nextSyncAt) })}</span>}
        </div>
        {state === 'problem' && problem && <Notice tone="danger">{explain(problem)}</Notice>}
        {kind === 'website' ? (
          <>
            <LastRun source={source} />
            <Tabs
              flush
              label={t('knowledge.source')}
              value={tab}
              onChange={setTab}
              tabs={[
                { value: 'documents', label: t('knowledge.pages'), content: <Below>{documents}</Below> },
                {
                  value: 'runs',
                  label: t('knowledge.runs'),
                  content: (
                    <Below>
                      <SourceRuns sourceId={id} />
                    </Below>
                  ),
                },
              ]}
            />
          </>
        ) : (
          documents
        )}
      </PageBody>
    </>
  );
}

const Below = ({ children }: { children: React.ReactNode }) => <div className="pt-4">{children}</div>;

function SourceActions({ source }: { source: KnowledgeSource }) {
  const { id, name, kind, counts } = source;
  const navigate = useNavigate();
  const [asked, setAsked] = useState<'settings' | 'delete' | null>(null);
  const close = () => setAsked(null);
  const documents = counts.published + counts.draft + counts.failed + counts.gone;
  const remove = async () => {
    try {
      await api('DELETE', `/knowledge/sources/${id}`);
      await refresh(knowledgeKeys.sources);
      await navigate({ to: '/knowledge' });
      toast.done(t('knowledge.source.deleted', { name }));
    } catch (error) {
      toast.failed(t('knowledge.source.deleteFailed'), error);
    }
  };
  return (
    <>
      {kind === 'articles' && (
        <Button
          tone="primary"
          icon={<Plus className="size-3.5" />}
          onClick={() => void navigate(toItem('new', id))}
        >
          {t('knowledge.article.new')}
        </Button>
      )}
      {kind === 'website' && <SyncButton source={source} />}
      <Menu
        align="end"
        trigger={
          <IconButton label={t('ui.more')}>
            <Ellipsis className="size-4" />
          </IconButton>
        }
      >
        <MenuItem icon={<Settings className="size-4" />} onSelect={() => setAsked('settings')}>
          {t('knowledge.source.settings')}
        </MenuItem>
        <MenuItem icon={<Trash2 className="size-4" />} danger onSelect={() => setAsked('delete')}>
          {t('knowledge.source.delete')}
        </MenuItem>
      </Menu>
      {asked === 'settings' && <SourceForm source={source} onClose={close} />}
      <ConfirmByName
        open={asked === 'delete'}
        onOpenChange={close}
        title={t('knowledge.source.deleteTitle', { name })}
        consequence={tn('knowledge.source.deleteText', documents)}
        name={name}
        action={t('knowledge.source.delete')}
        onConfirm={remove}
      />
    </>
  );
}

function SyncButton({ source: { id, state, lastRunId } }: { source: KnowledgeSource }) {
  const [isStarting, setStarting] = useState(false);
  const lastRun = useQuery({ ...runQuery(lastRunId ?? ''), enabled: lastRunId !== null });
  const isBusy = state === 'syncing';
  const start = async () => {
    try {
      await api('POST', `/knowledge/sources/${id}/sync`);
    } finally {
      await refresh(knowledgeKeys.sources);
      await refresh(knowledgeKeys.runs);
    }
  };
  const sync = async () => {
    setStarting(true);
    try {
      await start();
    } catch (error) {
      toast.failed(t('knowledge.run.startFailed'), error);
    } finally {
      setStarting(false);
    }
  };
  const look = { tone: 'primary', icon: <RefreshCw className="size-3.5" /> } as const;
  if (lastRun.data?.state === 'review') {
    return (
      <ConfirmButton
        {...look}
        action={t('knowledge.syncNow')}
        title={t('knowledge.run.discardTitle')}
        text={t('knowledge.run.syncText')}
        failed={t('knowledge.run.startFailed')}
        onConfirm={start}
      />
    );
  }
  return (
    <Button {...look} busy={isStarting} disabled={isBusy || lastRun.isLoading} onClick={() => void sync()}>
      {isBusy ? t('knowledge.source.state.syncing') : t('knowledge.syncNow')}
    </Button>
  );
}
