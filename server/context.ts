/** What every feature's routes are given. Built once in main.ts (and by the tests), passed on explicitly. */
import type { Config } from './config.ts';
import type { AccountStarter, Authenticator } from './features/accounts/accounts.ts';
import type { DefinitionsCache, RecordsOfKanban } from './features/kanbans/kanbans.ts';
import type { Clock } from './platform/clock.ts';
import type { Db } from './platform/db.ts';
import type { Logger } from './platform/logger.ts';
import type { Metrics } from './platform/metrics.ts';
import type { PageTokens } from './platform/page-token.ts';
import type { RateLimits } from './platform/rate-limit.ts';
import type { Secrets } from './platform/secrets.ts';
import type { Writes } from './platform/write.ts';

export interface Context extends Writes {
  config: Config;
  logger: Logger;
  db: Db;
  clock: Clock;
  secrets: Secrets;
  pageTokens: PageTokens;
  rateLimits: RateLimits;
  metrics: Metrics;
  authenticator: Authenticator;
  accountStarters: readonly AccountStarter[];
  definitions: DefinitionsCache;
  recordsOfKanban: RecordsOfKanban;
}
