/**
 * Which releases can serve a schema. A migration is one of two kinds, named in its first line:
 *
 * - `-- kind: expand`: adds something. Releases that do not know the migration can go on serving.
 * - `-- kind: contract, from v1.7.240`: removes or changes what releases before that one use.
 *
 * The kind is stored with the migration's name, so that an older release can read it.
 */
import { version } from '../../../contract/version.ts';

export interface MigrationKind {
  kind: 'expand' | 'contract';
  /** The oldest release that can serve after a contract migration. */
  servesFrom: string | null;
}

const form = /^-- kind: (expand|contract, from (v\d+\.\d+\.\d+))(?:\r?\n|$)/;

/** Null: not marked. Those up to 0055 were released before kinds existed, and their checksums are stored. */
export function kindOf(text: string): MigrationKind | null {
  const [, word, servesFrom = null] = form.exec(text) ?? [];
  return word ? { kind: servesFrom ? 'contract' : 'expand', servesFrom } : null;
}

export interface AppliedMigration {
  name: string;
  checksum: string;
  release: string | null;
  kind: string | null;
  servesFrom: string | null;
}

/** Null: this release can serve a schema with these migrations besides its own. */
export function findNewerProblem(
  applied: readonly AppliedMigration[],
  known: readonly { name: string }[],
  own = version,
): string | null {
  const names = new Set(known.map(({ name }) => name));
  const newer = applied.filter(({ name }) => !names.has(name));
  const barring = newer.filter(
    ({ kind, servesFrom }) =>
      kind !== 'expand' && !(servesFrom !== null && compareReleases(servesFrom, own) <= 0),
  );
  if (barring.length === 0) return null;
  const release = newer.map((row) => row.release).findLast((value) => value !== null);
  const oldest = barring
    .map(({ servesFrom }) => servesFrom)
    .filter((value) => value !== null)
    .sort(compareReleases)
    .at(-1);
  const needed = oldest ?? release;
  return (
    `The database was migrated by ${release ? `release ${release}` : 'a newer release'}: it has ` +
    `${barring.map(({ name }) => name).join(', ')}, but this is ${own}, which knows migrations up to ` +
    `${known.at(-1)?.name ?? 'none'}. ` +
    `Start ${needed ? `${needed} or a later release` : 'that release or a later one'}, or restore a backup.`
  );
}

/** By their numbers. */
function compareReleases(a: string, b: string): number {
  const numbers = (text: string) => text.slice(1).split('.').map(Number);
  const [left, right] = [numbers(a), numbers(b)];
  for (let i = 0; i < 3; i++) {
    const difference = left[i]! - right[i]!;
    if (difference !== 0) return difference;
  }
  return 0;
}
