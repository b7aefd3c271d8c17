/**
 * An account's configuration: its boards, channels and agents, all of one version. Features that need only boards use the
 * definitions alone, with the same words: `fresh` for reading, `withDefinitions` for writing.
 */
import { createBatcher } from '../../platform/concurrency/batcher.ts';
import type { Db, Reader, Tx } from '../../platform/db/db.ts';
import { type Definitions, type DefinitionsCache, StaleDefinitions } from '../kanbans/kanbans.ts';
import type { Directory, DirectoryCache } from './channels.directory.ts';

export interface AccountConfig {
  version: number;
  definitions: Definitions;
  directory: Directory;
}

export interface AccountConfigCache {
  /** As it is now: for reading, and for what goes out without checking the version that it was made from. */
  fresh(accountId: string, reader?: Reader): Promise<AccountConfig>;
  /** Runs a write against a configuration that it locks until it has committed, like `withDefinitions`. */
  withAccountConfig<T>(tx: Tx, accountId: string, run: (config: AccountConfig) => Promise<T>): Promise<T>;
  /** For a write with `commitConversations`, which compares the version, like `withKnownDefinitions`. */
  withKnownConfig<T>(tx: Tx, accountId: string, run: (config: AccountConfig) => Promise<T>): Promise<T>;
  /** The same in a transaction of its own. */
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
  const withKnownConfig: AccountConfigCache['withKnownConfig'] = (tx, accountId, run) =>
    definitions.withKnownDefinitions(tx, accountId, async (known) =>
      run(await complete(accountId, known, tx)),
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
    withAccountConfig: (tx, accountId, run) =>
      definitions.withDefinitions(tx, accountId, async (current) =>
        run(await complete(accountId, current, tx)),
      ),
    withKnownConfig,
    runRule: (accountId, rule) =>
      db.transaction((tx) => withKnownConfig(tx, accountId, (config) => rule(tx, config))),
  };
}
