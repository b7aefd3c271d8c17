/** What is stored at BACKUP_TO now, including backups by the command. */
import type { StoredBackup } from '../../../contract/instance/backups.ts';
import { BackupError } from '../../platform/backups/backup-error.ts';
import { listNames, readGoodManifest, readName } from '../../platform/backups/manifest.ts';
import { openPlace } from '../../platform/backups/places/open.ts';
import type { BackupPlace } from '../../platform/backups/places/place.ts';
import type { BackupConfig } from '../../platform/backups/sources.ts';
import { unavailable } from '../../platform/http/errors.ts';
import { cutPage, type Page, type PageTokens } from '../../platform/http/page-token.ts';

/** The list of runs does not wait longer for a place that does not respond. */
const namesWithinMs = 3_000;

/** Newest first, by the time in their names. Only the manifests of the page are read. */
export async function listStoredBackups(
  config: BackupConfig,
  tokens: PageTokens,
  { limit, nextToken }: { limit: number; nextToken?: string | undefined },
): Promise<Page<StoredBackup>> {
  const { to } = config.backups;
  const scope = ['stored-backups', to];
  const after = nextToken === undefined ? null : tokens.read(nextToken, scope);
  if (to === '') return { items: [], nextToken: null };
  return withPlace(config, async (place) => {
    const names = await listNames(place);
    const left =
      after === null ? names : names.filter((one) => isAfter(one, Number(after[0]), String(after[1])));
    const page = cutPage(left, limit, ({ time, name }) => tokens.issue([time, name], scope));
    return { ...page, items: await Promise.all(page.items.map((one) => toStored(place, one))) };
  });
}

/** Null: the place does not say it now. */
export async function storedNames(config: BackupConfig): Promise<Set<string> | null> {
  if (config.backups.to === '') return null;
  const tooLate = new Promise<null>((resolve) => setTimeout(resolve, namesWithinMs, null).unref());
  const names = withPlace(config, async (place) => new Set((await listNames(place)).map(({ name }) => name)));
  return Promise.race([names.catch(() => null), tooLate]);
}

interface Named {
  name: string;
  bytes: number;
  time: number;
}

function isAfter(one: Named, time: number, name: string): boolean {
  return one.time < time || (one.time === time && one.name < name);
}

async function toStored(place: BackupPlace, one: Named): Promise<StoredBackup> {
  const { name, bytes, time } = one;
  const manifest = await readGoodManifest(place, one);
  if (!manifest) return { name, bytes, createdAt: time, ...readName(name), isGood: false, verifiedAt: null };
  const { cell, createdAt, isEncrypted, verifiedAt } = manifest;
  return { name, bytes, cell, createdAt, isEncrypted, isGood: true, verifiedAt };
}

async function withPlace<T>(config: BackupConfig, use: (place: BackupPlace) => Promise<T>): Promise<T> {
  const place = openPlace(config, config.backups.to);
  try {
    return await use(place);
  } catch (error) {
    throw error instanceof BackupError
      ? unavailable(`the backups cannot be listed: ${error.message}`)
      : error;
  } finally {
    await place.close();
  }
}
