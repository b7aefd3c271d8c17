/** Jobs that were given up: run again or discarded, one by one. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { CircleAlert } from 'lucide-react';
import { useState } from 'react';
import type { FailedJob } from '../../../../contract/instance/system.ts';
import { api } from '../../data/api.ts';
import { number } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Time } from '../../ui/display/time.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { EntityList, LoadMore } from '../parts/entity-list.tsx';
import { Row, RowIcon } from '../parts/rows.tsx';
import { Answer, Part } from '../parts/section.tsx';
import { failedJobsQuery, reload, settingsKeys } from '../settings-data.ts';

export const reloadSystem = () => Promise.all([reload(settingsKeys.system), reload(settingsKeys.failedJobs)]);

export function FailedJobs() {
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
      await reloadSystem();
    }
  };
  const discard = async () => {
    await api('DELETE', `/admin/failed-jobs/${job.id}`);
    toast.done(t('system.discard.done'));
    await reloadSystem();
  };
  return (
    <Row
      stack
      mark={
        <RowIcon>
          <CircleAlert className="size-4" />
        </RowIcon>
      }
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
