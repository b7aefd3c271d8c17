/** The state of the instance: queues, failed jobs, storage, slow queries and versions. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { CircleAlert, Gauge, HardDrive, ListOrdered, RotateCw, Tag } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { FailedJob, SystemOverview } from '../../../../contract/system.ts';
import { api } from '../../data/api.ts';
import { bytes, number } from '../../texts/format.ts';
import { t, tn } from '../../texts/texts.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { Badge } from '../../ui/display/badge.tsx';
import { Time } from '../../ui/display/time.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { EntityList, LoadMore } from '../parts/entity-list.tsx';
import { Row, RowIcon } from '../parts/rows.tsx';
import { Answer, Part, Section } from '../parts/section.tsx';
import { failedJobsQuery, reload, settingsKeys, systemQuery } from '../settings-data.ts';

type Queue = SystemOverview['queues'][number];

const queueNames: { [queue in Queue['queue']]: () => string } = {
  jobs: () => t('system.queue.jobs'),
  webhooks: () => t('system.queue.webhooks'),
  outbound: () => t('system.queue.outbound'),
  inbound: () => t('system.queue.inbound'),
};

const reloadAll = () => Promise.all([reload(settingsKeys.system), reload(settingsKeys.failedJobs)]);

export default function SystemSettings() {
  const system = useQuery(systemQuery);
  return (
    <Section
      wide
      title={t('settings.system')}
      description={t('system.text')}
      actions={
        <IconButton label={t('system.refresh')} onClick={() => void reloadAll()}>
          <RotateCw className="size-4" />
        </IconButton>
      }
    >
      <Answer query={system}>
        {(overview) => (
          <>
            {overview.unreachableDatabases > 0 && (
              <p role="status" className="rounded-panel bg-warning-soft px-4 py-3">
                {tn('system.away', overview.unreachableDatabases)}
              </p>
            )}
            <Part title={t('system.queues')}>
              <EntityList label={t('system.queues')} items={overview.queues} row={queueRow} />
            </Part>
            <FailedJobs />
            <Storage storage={overview.storage} />
            <SlowQueries slow={overview.slowQueries} />
            <Versions versions={overview.versions} />
          </>
        )}
      </Answer>
    </Section>
  );
}

const mark = (icon: ReactNode) => <RowIcon>{icon}</RowIcon>;

const queueRow = ({ queue, waiting, oldestSeconds }: Queue) => (
  <Row
    key={queue}
    mark={mark(<ListOrdered className="size-4" />)}
    title={queueNames[queue]()}
    text={
      waiting === 0
        ? t('system.queue.empty')
        : t('system.queue.waiting', { count: number(waiting), seconds: number(Math.round(oldestSeconds)) })
    }
  />
);

function FailedJobs() {
  const log = useInfiniteQuery(failedJobsQuery);
  const jobs = log.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Part title={t('system.failed')} text={t('system.failed.text')}>
      <Answer query={log}>
        {() => (
          <EntityList
            label={t('system.failed')}
            items={jobs}
            empty={{ icon: <CircleAlert className="size-4" />, title: t('system.failed.empty') }}
            row={(job) => <FailedRow key={job.id} job={job} />}
          />
        )}
      </Answer>
      <LoadMore query={log} />
    </Part>
  );
}

function FailedRow({ job }: { job: FailedJob }) {
  const [busy, setBusy] = useState(false);
  const account = job.accountName ?? job.accountId ?? t('system.failed.instance');
  const retry = async () => {
    setBusy(true);
    try {
      await api('POST', `/admin/failed-jobs/${job.id}/retry`);
      toast.done(t('system.retry.done'));
    } catch (error) {
      toast.failed(t('system.retry.failed'), error);
    } finally {
      setBusy(false);
      await reloadAll();
    }
  };
  const discard = async () => {
    await api('DELETE', `/admin/failed-jobs/${job.id}`);
    toast.done(t('system.discard.done'));
    await reloadAll();
  };
  return (
    <Row
      stack
      mark={mark(<CircleAlert className="size-4" />)}
      title={job.kind}
      badges={<Time at={job.failedAt} ago />}
      text={t('system.failed.row', { account, attempts: number(job.attempts), error: job.error ?? '' })}
      end={
        <>
          <Button busy={busy} onClick={() => void retry()}>
            {t('system.retry')}
          </Button>
          <ConfirmButton
            tone="quiet"
            action={t('system.discard')}
            title={t('system.discard.title')}
            text={t('system.discard.text')}
            failed={t('system.discard.failed')}
            onConfirm={discard}
          />
        </>
      }
    />
  );
}

function Storage({ storage }: { storage: SystemOverview['storage'] }) {
  const { databaseBytes, fileBytes, freeDiskBytes, isDiskLow } = storage;
  const rows = [
    { title: t('system.storage.database'), text: bytes(databaseBytes), isLow: false },
    { title: t('system.storage.files'), text: bytes(fileBytes), isLow: false },
    {
      title: t('system.storage.free'),
      text: freeDiskBytes === null ? t('system.unknown') : bytes(freeDiskBytes),
      isLow: isDiskLow,
    },
  ];
  return (
    <Part title={t('system.storage')}>
      <EntityList
        label={t('system.storage')}
        items={rows}
        row={({ title, text, isLow }) => (
          <Row
            key={title}
            mark={mark(<HardDrive className="size-4" />)}
            title={title}
            badges={isLow && <Badge hue="red">{t('system.storage.low')}</Badge>}
            text={text}
          />
        )}
      />
    </Part>
  );
}

function SlowQueries({ slow: { source, items } }: { slow: SystemOverview['slowQueries'] }) {
  return (
    <Part
      title={t('system.slow')}
      text={source === 'process' ? t('system.slow.process') : t('system.slow.database')}
    >
      <EntityList
        label={t('system.slow')}
        items={items}
        empty={{ icon: <Gauge className="size-4" />, title: t('system.slow.empty') }}
        row={({ text, count, maxMs, totalMs }) => (
          <Row
            key={text}
            mark={mark(<Gauge className="size-4" />)}
            title={
              <code className="font-mono text-sm" title={text}>
                {text}
              </code>
            }
            text={t('system.slow.row', {
              count: number(count),
              max: number(Math.round(maxMs)),
              total: number(Math.round(totalMs)),
            })}
          />
        )}
      />
    </Part>
  );
}

function Versions({ versions }: { versions: SystemOverview['versions'] }) {
  const rows = [
    { title: t('system.versions.service'), text: versions.service },
    { title: t('system.versions.node'), text: versions.node },
    { title: t('system.versions.postgres'), text: versions.postgres },
    ...versions.nodes.map(({ url, version }) => ({ title: url, text: version ?? t('system.unknown') })),
  ];
  return (
    <Part title={t('system.versions')}>
      <EntityList
        label={t('system.versions')}
        items={rows}
        row={({ title, text }) => (
          <Row key={title} mark={mark(<Tag className="size-4" />)} title={title} text={text} />
        )}
      />
    </Part>
  );
}
