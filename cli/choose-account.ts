/** The account of a command: the one named, or the only one. */
import type { Reader } from '../server/platform/db/db.ts';
import { type AccountName, selectAccountNames, selectAccountsNamed } from './accounts.sql.ts';
import { CommandError } from './command.ts';

const shownAtMost = 10;

/** `dbs`: of every cell. */
export async function chooseAccount(
  dbs: readonly Reader[],
  idOrName: string | undefined,
): Promise<AccountName> {
  if (idOrName === undefined) {
    const accounts = (await Promise.all(dbs.map((db) => selectAccountNames(db, shownAtMost))))
      .flat()
      .slice(0, shownAtMost);
    if (accounts.length === 1) return accounts[0]!;
    throw new CommandError(
      accounts.length === 0
        ? 'there is no account yet: start the service once, or run talkboard account create'
        : `there are several accounts, choose one with --account:\n${listOf(accounts)}`,
    );
  }
  const found = (await Promise.all(dbs.map((db) => selectAccountsNamed(db, idOrName)))).flat();
  const byId = found.find((account) => account.id === idOrName);
  if (byId) return byId;
  if (found.length > 1) {
    throw new CommandError(`several accounts have that name, use the id:\n${listOf(found)}`);
  }
  if (!found[0]) throw new CommandError(`there is no account with the id or name "${idOrName}"`);
  return found[0];
}

function listOf(accounts: AccountName[]): string {
  return accounts.map(({ id, name }) => `  ${id}  ${name}`).join('\n');
}
