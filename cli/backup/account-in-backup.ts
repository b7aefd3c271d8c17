/** The account of a command that is in a backup: by its id, or by its name there. */
import type { Config } from '../../server/config.ts';
import { type AccountInside, readAccounts } from '../../server/platform/backups/account.ts';
import { decrypt } from '../../server/platform/backups/encryption.ts';
import type { Head } from '../../server/platform/backups/format.ts';
import { CommandError } from '../command.ts';
import { openBackup } from './sources.ts';

export async function accountsInBackup(
  config: Config,
  from: string,
  privateKeys: readonly string[],
): Promise<{ head: Head; accounts: AccountInside[] }> {
  const { stored, close } = await openBackup(config, from);
  try {
    return await readAccounts(await decrypt(stored, privateKeys));
  } finally {
    stored.destroy();
    await close();
  }
}

export function chooseInBackup(accounts: readonly AccountInside[], idOrName: string): AccountInside {
  const byId = accounts.find(({ id }) => id === idOrName.toLowerCase());
  if (byId) return byId;
  const named = accounts.filter(({ name }) => name === idOrName);
  if (named.length > 1) {
    throw new CommandError(`several accounts of the backup have that name, use the id:\n${linesOf(named)}`);
  }
  if (!named[0]) {
    throw new CommandError(
      `the backup holds no account with the id or name "${idOrName}": see talkboard account restore --list`,
    );
  }
  return named[0];
}

function linesOf(accounts: readonly AccountInside[]): string {
  return accounts.map(({ id, name }) => `  ${id}  ${name}`).join('\n');
}
