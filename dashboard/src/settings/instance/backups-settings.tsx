/** The backups that the service makes: what is stored, the last runs, the next one, and one more at once. */
import { useQuery } from '@tanstack/react-query';
import { Archive } from 'lucide-react';
import { useState } from 'react';
import type { Backup, BackupOverview } from '../../../../contract/instance/backups.ts';
import { api } from '../../data/api.ts';
import { bytes, dateTime, dateTimeZone, number } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Badge } from '../../ui/display/badge.tsx';
import { ProgressBar } from '../../ui/display/progress.tsx';
import { Time } from '../../ui/display/time.tsx';
import type { Hue } from '../../ui/hues.ts';
import { toast } from '../../ui/overlays/toast.tsx';
import { EntityList } from '../parts/entity-list.tsx';
import { Row, RowIcon } from '../parts/rows.tsx';
import { Answer, Part, Section } from '../parts/section.tsx';
import { backupsQuery, reload, settingsKeys } from '../settings-data.ts';
import { StoredBackups } from './backups-stored.tsx';

const stateWords: { [state in Backup['state']]: () => string } = {
  waiting: () => t('backups.waiting'),
  writing: () => t('backups.writing'),
  verifying: () => t('backups.verifying'),
  good: () => t('backups.good'),
  failed: () => t('backups.failed'),
};

export default function BackupsSettings() {
  const overview = useQuery(backupsQuery);
  return (
    <Section title={t('settings.backups')} description={t('backups.text')}>
      <Answer query={overview}>
        {(found) => (found.place === null ? <Off /> : <Overview {...found} />)}
      </Answer>
    </Section>
  );
}

const Off = () => (
  <Part title={t('backups.off')}>
    <p className="text-muted">{t('backups.offText')}</p>
  </Part>
);

function Overview({ place, everyHours, nextAt, keep, isEncrypted, backups }: BackupOverview) {
  const [isBusy, setBusy] = useState(false);
  const last = backups.find(({ endedAt }) => endedAt !== null);
  const isRunning = backups.some(({ endedAt }) => endedAt === null);
  const start = async () => {
    setBusy(true);
    try {
      await api('POST', '/admin/backups');
      toast.done(t('backups.started'));
      await reload(settingsKeys.backups);
    } catch (error) {
      toast.failed(t('backups.notStarted'), error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      {last?.state === 'failed' && (
        <p role="alert" className="text-danger">
          {t('backups.lastFailed')}: {last.error}
        </p>
      )}
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
        <dt className="text-muted">{t('backups.to')}</dt>
        <dd className="break-all">{place}</dd>
        <dt className="text-muted">{t('backups.schedule')}</dt>
        <dd>{everyText(everyHours)}</dd>
        {nextAt !== null && (
          <>
            <dt className="text-muted">{t('backups.next')}</dt>
            <dd>{dateTimeZone(nextAt)}</dd>
          </>
        )}
        {/* A process of the release before does not say it. */}
        {keep && (
          <>
            <dt className="text-muted">{keep.last > 0 ? t('backups.keep') : t('backups.keepNewest')}</dt>
            <dd>{keepText(keep)}</dd>
          </>
        )}
        <dt className="text-muted">{t('backups.encryption')}</dt>
        <dd>{isEncrypted ? t('backups.encrypted') : t('backups.plain')}</dd>
      </dl>
      <div>
        <Button tone="primary" busy={isBusy} disabled={isRunning} onClick={() => void start()}>
          {t('backups.now')}
        </Button>
      </div>
      <StoredBackups changed={last?.endedAt ?? null} />
      <Part title={t('backups.list')}>
        {backups.length === 0 ? (
          <p className="text-muted">{t('backups.none')}</p>
        ) : (
          <EntityList
            label={t('backups.list')}
            items={backups}
            row={(backup) => (
              <Row
                key={backup.id}
                mark={
                  <RowIcon>
                    <Archive className="size-4" />
                  </RowIcon>
                }
                title={dateTime(backup.createdAt)}
                badges={
                  <Badge hue={hueOf(backup)} className="shrink-0">
                    {stateOf(backup)}
                  </Badge>
                }
                text={[backup.name ?? backup.cell, textOf(backup)].filter(Boolean).join(' · ')}
                end={
                  backup.endedAt === null ? (
                    <ProgressBar label={t('backups.progress')} share={null} className="w-24" />
                  ) : (
                    <Time at={backup.endedAt} ago />
                  )
                }
              />
            )}
          />
        )}
      </Part>
    </>
  );
}

function everyText(hours: number | null | undefined): string {
  if (hours == null) return t('backups.never');
  if (hours === 1) return t('backups.everyHour');
  if (hours === 24) return t('backups.everyDay');
  return hours === 7 * 24 ? t('backups.everyWeek') : t('backups.everyHours', { hours: number(hours) });
}

function keepText({ last, days, weeks, months }: BackupOverview['keep']): string {
  const parts = [
    last > 0 && t('backups.keepLast', { count: number(last) }),
    days > 0 && t('backups.keepDays', { count: number(days) }),
    weeks > 0 && t('backups.keepWeeks', { count: number(weeks) }),
    months > 0 && t('backups.keepMonths', { count: number(months) }),
  ];
  return parts.filter(Boolean).join(' · ');
}

function stateOf({ state, verifiedAt, removedAt, isMissing }: Backup): string {
  if (isMissing) return t('backups.missing');
  if (removedAt !== null) return t('backups.removed');
  if (state === 'good' && verifiedAt !== null) return t('backups.verified');
  return stateWords[state]();
}

function hueOf({ state, removedAt, isMissing }: Backup): Hue | undefined {
  if (isMissing) return 'red';
  if (removedAt !== null) return undefined;
  return state === 'good' ? 'green' : state === 'failed' ? 'red' : undefined;
}

function textOf({ state, rows, files, bytes: size, error, unverified }: Backup): string {
  const counts = { rows: number(rows), files: number(files) };
  if (state === 'failed') return error ?? '';
  if (size === null) return t('backups.rows', counts);
  const told = t('backups.size', { ...counts, size: bytes(size) });
  return unverified === null ? told : `${told} · ${t('backups.unverified', { reason: unverified })}`;
}
