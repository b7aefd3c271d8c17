/** The state of the instance: queues, failed jobs, storage, slow queries and versions. */
import { useQuery } from '@tanstack/react-query';
import { Gauge, HardDrive, ListOrdered, RotateCw, Tag } from 'lucide-react';
import type { ReactNode } from 'react';
import type { SystemOverview } from '../../../../contract/instance/system.ts';
import { bytes, number } from '../../texts/format.ts';
import { t, tn } from '../../texts/texts.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { Badge } from '../../ui/display/badge.tsx';
import { EntityList } from '../parts/entity-list.tsx';
import { Row, RowIcon } from '../parts/rows.tsx';
import { Answer, Part, Section } from '../parts/section.tsx';
import { systemQuery } from '../settings-data.ts';
import { FailedJobs, reloadSystem } from './system-failed-jobs.tsx';

type Queue = SystemOverview['queues'][number];

const queueNames: { [queue in Queue['queue']]: () => string } = {
  jobs: () => t('system.queue.jobs'),
  webhooks: () => t('system.queue.webhooks'),
  outbound: () => t('system.queue.outbound'),
  inbound: () => t('system.queue.inbound'),
};

export default function SystemSettings() {
  const system = useQuery(systemQuery);
  return (
    <Section
      wide
      title={t('settings.system')}
      description={t('system.text')}
      actions={
        <IconButton label={t('system.refresh')} onClick={() => void reloadSystem()}>
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
        row={({ text, isHousekeeping, count, maxMs, totalMs }) => (
          <Row
            key={`${isHousekeeping} ${text}`}
            mark={mark(<Gauge className="size-4" />)}
            title={
              <code className="font-mono text-sm" title={text}>
                {text}
              </code>
            }
            badges={isHousekeeping && <Badge>{t('system.slow.housekeeping')}</Badge>}
            text={t('system.slow.row', {
              count: number(count),
              max: number(Math.round(maxMs)),
              total: number(Math.round(totalMs)),
            })}
            note={
              <details>
                <summary className="w-fit cursor-pointer text-muted select-none hover:text-ink">
                  {t('system.slow.whole')}
                </summary>
                <code className="block pt-1 font-mono text-sm break-words whitespace-pre-wrap">{text}</code>
              </details>
            }
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
