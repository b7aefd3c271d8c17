/**
 * An account's configuration: its boards, channels and agents, all of one version. Features that need only boards use the
 * definitions alone, with the same words: `fresh` for reading, `withDefinitions` for writing.
 */
import { createBatcher } from '../../platform/concurrency/batcher.ts';
import type { Db, Reader, Tx } from '../../platform/db/db.ts';
import {
  type Definitions,
  type DefinitionsCache,
  StaleDefinitions,
  type VerifyOptions,
} from '../kanbans/kanbans.ts';
import type { Directory, DirectoryCache } from './channels.directory.ts';

export interface AccountConfig {
  version: number;
  definitions: Definitions;
  directory: Directory;
}

export interface AccountConfigCache {
  /** As it is now: for reading, and for what goes out without checking the version that it was made from. */
  fresh(accountId: string, reader?: Reader): Promise<AccountConfig>;
  /** Runs a write against a configuration that holds until it has committed; the options are `withDefinitions`'. */
  withAccountConfig<T>(
    tx: Tx,
    accountId: string,
    run: (config: AccountConfig) => Promise<T>,
    options?: VerifyOptions,
  ): Promise<T>;
  /** A transaction of its own for a rule that writes with `commitConversation`, which verifies the version at the end. */
  runRule<T>(accountId: string, rule: (tx: Tx, config: AccountConfig) => Promise<T>): Promise<T>;
}

const sharedByMost = 1_000;

interface AccountConfigDeps {
  db: Db;
  definitions: DefinitionsCache;
  directory: DirectoryCache;
}

export function createAccountConfigCache({
  db,
  definitions,
  directory,
}: AccountConfigDeps): AccountConfigCache {
  const complete = async (accountId: string, current: Definitions, reader?: Reader) => ({
    version: current.version,
    definitions: current,
    directory: await directory.of(accountId, current, reader),
  });
  const withAccountConfig: AccountConfigCache['withAccountConfig'] = (tx, accountId, run, options) =>
    definitions.withDefinitions(
      tx,
      accountId,
      async (current) => run(await complete(accountId, current, tx)),
      options,
    );
  const fresh = async (accountId: string, reader?: Reader) => {
    for (;;) {
      try {
        return await complete(accountId, await definitions.fresh(accountId, reader), reader);
      } catch (error) {
        if (!(error instanceof StaleDefinitions)) throw error;
      }
    }
  };
  /** Those who ask at the same time share the read. */
  const freshShared = createBatcher<null, AccountConfig>({
    maxItems: sharedByMost,
    async run(accountId, asked) {
      const value = await fresh(accountId);
      return asked.map(() => ({ status: 'fulfilled', value }));
    },
  });
  return {
    fresh: (accountId, reader) => (reader ? fresh(accountId, reader) : freshShared(accountId, null)),
    withAccountConfig,
    runRule: (accountId, rule) =>
      db.runRule((tx) => withAccountConfig(tx, accountId, (config) => rule(tx, config), { verify: 'last' })),
  };
}
