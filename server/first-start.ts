/** Creates the first account of an empty database; a second process that starts at the same time finds it. */
import type { ServiceContext } from './context.ts';
import {
  createAccount,
  generatePassword,
  hasAccounts,
  hashPassword,
  lockFirstStart,
} from './features/accounts/accounts.ts';

export interface FirstLogin {
  email: string;
  /** Null if it was set by ADMIN_PASSWORD: a password the operator chose is not printed. */
  generatedPassword: string | null;
}

export async function createFirstAccount(context: ServiceContext): Promise<FirstLogin | null> {
  const { db, clock, config, accountStarters } = context;
  if (await hasAccounts(db)) return null;
  const generatedPassword = config.adminPassword ? null : generatePassword();
  const adminPasswordHash = await hashPassword(generatedPassword ?? config.adminPassword);
  return db.transaction(async (tx) => {
    if (!(await lockFirstStart(tx)).isFirst) return null;
    await createAccount(
      tx,
      clock.now(),
      { name: 'My workspace', adminEmail: config.adminEmail, adminPasswordHash, isInstanceAdmin: true },
      accountStarters,
    );
    return { email: config.adminEmail, generatedPassword };
  });
}
