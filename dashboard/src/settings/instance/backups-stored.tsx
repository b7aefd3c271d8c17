/** What is in the place of the backups now. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { FileArchive } from 'lucide-react';
import { useEffect } from 'react';
import type { StoredBackup } from '../../../../contract/instance/backups.ts';
import { bytes, dateTime } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { Badge } from '../../ui/display/badge.tsx';
import { Time } from '../../ui/display/time.tsx';
import { EntityList, LoadMore } from '../parts/entity-list.tsx';
import { Row, RowIcon } from '../parts/rows.tsx';
import { Answer, Part } from '../parts/section.tsx';
import { reload, settingsKeys, storedBackupsQuery } from '../settings-data.ts';

/** `changed`: another value when a backup has ended, which changes the list. */
export function StoredBackups({ changed }: { changed: number | null }) {
  const stored = useInfiniteQuery(storedBackupsQuery);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the value is the reason, not an input
  useEffect(() => void reload(settingsKeys.storedBackups), [changed]);
  const items = stored.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Part title={t('backups.stored')} text={t('backups.storedText')}>
      <Answer query={stored}>
        {() => (
          <EntityList
            label={t('backups.stored')}
            items={items}
            empty={{ icon: <FileArchive className="size-4" />, title: t('backups.storedNone') }}
            row={(backup) => (
              <Row
                key={backup.name}
                mark={
                  <RowIcon>
                    <FileArchive className="size-4" />
                  </RowIcon>
                }
                title={dateTime(backup.createdAt)}
                badges={
                  <Badge hue={backup.isGood ? 'green' : 'red'} className="shrink-0">
                    {stateOf(backup)}
                  </Badge>
                }
                text={textOf(backup)}
                // In full: restoring needs it.
                note={
                  <span className="font-mono text-sm break-all text-muted select-all">{backup.name}</span>
                }
                end={<Time at={backup.createdAt} ago />}
              />
            )}
          />
        )}
      </Answer>
      <LoadMore query={stored} />
    </Part>
  );
}

function stateOf({ isGood, verifiedAt }: StoredBackup): string {
  if (!isGood) return t('backups.notGood');
  return verifiedAt === null ? t('backups.good') : t('backups.verified');
}

function textOf({ bytes: size, isEncrypted, isGood, verifiedAt }: StoredBackup): string {
  const verified =
    verifiedAt === null
      ? t('backups.neverVerified')
      : t('backups.verifiedAt', { time: dateTime(verifiedAt) });
  const encryption = isEncrypted ? t('backups.isEncrypted') : t('backups.plain');
  return [bytes(size), encryption, isGood ? verified : t('backups.notGoodText')].join(' · ');
}
