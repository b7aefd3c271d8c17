/**
 * Builds the service from its configuration: database, migrations, first account, context. Main, the CLI and the
 * tests share it.
 */
import { join } from 'node:path';
import type { Config } from './config.ts';
import type { ServiceContext } from './context.ts';
import { createAuthenticator, oneHome } from './features/accounts/accounts.ts';
import { testsOfAgents } from './features/agent-tests/agent-tests.ts';
import { automationsWithHours } from './features/automations/automations.ts';
import { createBlockHash } from './features/blocked-contacts/blocked-contacts.ts';
import {
  channelsWithHours,
  createAccountConfigCache,
  createChannelsOfAccount,
  createDirectoryCache,
} from './features/channels/channels.ts';
import { createSessionFilters } from './features/conditions/conditions.ts';
import {
  createConnectorsOfChannels,
  createLinks,
  createRegistry,
  createSignals,
} from './features/connectors/connectors.ts';
import { handOverSaved } from './features/dashboard-api/dashboard-api.ts';
import { handOverInboxViews } from './features/inbox-views/inbox-views.ts';
import { readQueues } from './features/instance/instance.ts';
import { createDefinitionsCache } from './features/kanbans/kanbans.ts';
import {
  createExtraction,
  createKnowledgeSearch,
  createRerank,
  type KnowledgeSearch,
} from './features/knowledge/knowledge.ts';
import { handOverMacros } from './features/macros/macros.ts';
import {
  createMessageSearch,
  type MessageSearch,
  messageSearchOnOwner,
} from './features/message-search/message-search.ts';
import { createIntake } from './features/messages/messages.ts';
import { labelledRecords, recordsOfKanban } from './features/records/records.ts';
import {
  createSearch,
  removeOtherFolders,
  type Search,
  searchMetrics,
  searchOnOwner,
} from './features/search/search.ts';
import { policiesWithHours } from './features/service-levels/service-levels.ts';
import { labelledSessions, sessionsOfUser } from './features/sessions/sessions.ts';
import { invitationsOfRole } from './features/sign-in/sign-in.ts';
import { teamsWithHours } from './features/teams/teams.ts';
import { registerMetrics } from './metrics.ts';
import { accountStarters } from './new-account.ts';
import { createConverter } from './platform/audio/audio-converter.ts';
import { createRecogniser } from './platform/audio/recogniser.ts';
import { createBlobStore } from './platform/blobs/blob-store.ts';
import { homeCell } from './platform/cells/cell-settings.ts';
import { type Clock, startClock } from './platform/db/clock.ts';
import type { Db } from './platform/db/db.ts';
import { createMetrics } from './platform/http/metrics.ts';
import { createPageTokens } from './platform/http/page-token.ts';
import { joinProcesses, leaveProcesses } from './platform/jobs/due-work.ts';
import { createRateLimits } from './platform/limits/rate-limit.ts';
import type { Logger } from './platform/logger.ts';
import { nodeMetrics } from './platform/nodes/node-metrics.ts';
import { createNodes, type Nodes } from './platform/nodes/nodes.ts';
import { createSafeFetch } from './platform/outbound/safe-fetch.ts';
import { createRedisLinks } from './platform/redis-links.ts';
import { openSecrets } from './platform/secrets/open-secrets.ts';

/** What the cells of a process share. */
type Shared = Pick<
  ServiceContext,
  | 'config'
  | 'logger'
  | 'secrets'
  | 'pageTokens'
  | 'metrics'
  | 'redis'
  | 'accountStarters'
  | 'providers'
  | 'providerFetch'
  | 'safeFetch'
  | 'blobs'
  | 'extraction'
  | 'converter'
  | 'recogniser'
>;

export async function createContext(config: Config, logger: Logger, db: Db): Promise<ServiceContext> {
  const secrets = await openSecrets(db, config);
  // As many to one origin as the webhooks send in all: endpoints on a shared host must not wait in line behind one
  // that hangs there, and time out unsent.
  const safeFetch = createSafeFetch({ allow: config.outboundAllow, connections: 64 });
  const converter = createConverter({ executables: config.executables });
  return cellContext(
    {
      config,
      logger,
      secrets,
      pageTokens: createPageTokens(secrets),
      metrics: registerMetrics(
        createMetrics(db, {
          cell: config.cells.length > 0 ? homeCell : null,
          readQueues,
          dataDir: config.dataDir,
          backupSchedule: config.backups.schedule,
        }),
      ),
      redis: config.redisUrl ? createRedisLinks(config.redisUrl, logger) : null,
      accountStarters: accountStarters(secrets),
      providers: createRegistry(),
      providerFetch: createSafeFetch({ allow: config.outboundAllow, connections: 4_096 }),
      safeFetch,
      blobs: createBlobStore(config),
      extraction: createExtraction(),
      converter,
      recogniser: createRecogniser({ transcribe: config.transcribe, converter, safeFetch }),
    },
    db,
    null,
  );
}

/** Another cell of the same process. */
export function createCellContext(home: ServiceContext, db: Db, cell: string): Promise<ServiceContext> {
  return cellContext({ ...home, metrics: home.metrics.ofCell(cell, db) }, db, home, cell);
}

async function cellContext(
  shared: Shared,
  db: Db,
  home: ServiceContext | null,
  cell = homeCell,
): Promise<ServiceContext> {
  const { config, logger, metrics, secrets, providers, providerFetch, safeFetch, blobs } = shared;
  await joinProcesses(db);
  const clock = await startClock(db);
  const definitions = createDefinitionsCache(db);
  const directory = createDirectoryCache(db);
  const accountConfig = createAccountConfigCache({ db, definitions, directory });
  const blockHash = createBlockHash(secrets);
  const links = createLinks({ db, clock, secrets, config, providers, safeFetch: providerFetch, blobs });
  const rateLimits = createRateLimits(db);
  const nodes = home ? home.nodes : nodesOf({ config, logger, metrics, secrets }, db, clock);
  return {
    ...shared,
    ...createSearches({ config, logger, metrics, db, definitions, clock, nodes, secrets, safeFetch }, cell),
    db,
    instanceDb: home?.instanceDb ?? db,
    cell,
    accountHomes: home?.accountHomes ?? oneHome({ cell, db, rateLimits }),
    cellStatus: null,
    forwarding: null,
    nodes,
    clock,
    rateLimits,
    authenticator: createAuthenticator(db, secrets, clock, config.instanceAdminAddresses),
    definitions,
    recordsOfKanban,
    sessionsOfUser,
    sharedWork: {
      async handOver(tx, accountId, owners) {
        await handOverMacros(tx, accountId, owners);
        await handOverInboxViews(tx, accountId, owners);
        await handOverSaved(tx, accountId, owners);
      },
    },
    invitationsOfRole,
    sessionFilters: createSessionFilters({ db, definitions }),
    labelled: { sessions: labelledSessions, records: labelledRecords },
    usesOfHours: [channelsWithHours, teamsWithHours, automationsWithHours, policiesWithHours],
    channelsOfAccount: createChannelsOfAccount(db, directory),
    accountConfig,
    blockHash,
    intake: createIntake({ db, clock, logger, blobs, accountConfig, blockHash }),
    links,
    signals: createSignals({ db, links }),
    testsOfAgents,
    connectors: createConnectorsOfChannels({ db, secrets, config, providers, links }),
  };
}

type NodesParts = Pick<ServiceContext, 'config' | 'logger' | 'metrics' | 'secrets'>;

/** Only processes that answer requests and have an address of their own. */
function nodesOf({ config, logger, metrics, secrets }: NodesParts, db: Db, clock: Clock): Nodes | null {
  if (config.nodeUrl === '' || config.role === 'worker') return null;
  const { calls, nodes } = nodeMetrics(metrics);
  const onCall = (outcome: string) => calls.inc({ outcome });
  const onCount = (count: number) => nodes.set(count);
  return createNodes({ db, secrets, logger, now: clock.now, onCall, onCount });
}

/** Of the indexes of knowledge in a process. */
const knowledgeIndexBytes = 512 * 1024 * 1024;

type SearchParts = Pick<
  ServiceContext,
  'config' | 'logger' | 'metrics' | 'db' | 'definitions' | 'clock' | 'nodes' | 'secrets' | 'safeFetch'
>;

function createSearches(parts: SearchParts, cell: string) {
  const { config, logger, metrics, db, definitions, clock, nodes } = parts;
  // The cells of a process share the memory for indexes.
  const share = 1 / (1 + config.cells.length);
  const { dropped, watch } = searchMetrics(metrics);
  const onDrop = (kind: string) => (reason: string) => dropped.inc({ kind, reason });
  const root = join(config.dataDir, 'search-indexes');
  if (cell === homeCell) {
    const cells = config.searchFilesMb > 0 ? [homeCell, ...config.cells.map(({ name }) => name)] : [];
    removeOtherFolders(root, cells).catch((error) => {
      logger.warn({ reason: error.message }, 'old search indexes could not be removed');
    });
  }
  const files = config.searchFilesMb > 0 && {
    folder: join(root, cell),
    maxBytes: config.searchFilesMb * 1024 * 1024 * share,
    minFreeBytes: config.minFreeDiskMb * 1024 * 1024,
    logger,
  };
  const search = createSearch({
    db,
    definitions,
    clock,
    share,
    files: files || null,
    onDrop: onDrop('records'),
  });
  const budgetBytes = config.messageSearchMb * 1024 * 1024 * share;
  const messageSearch = createMessageSearch({ db, budgetBytes, onDrop: onDrop('messages') });
  const knowledgeSearch = createKnowledgeSearch({
    db,
    budgetBytes: knowledgeIndexBytes * share,
    rerank: createRerank(parts),
    onDrop: onDrop('knowledge'),
  });
  const watched = <T extends Search | MessageSearch | KnowledgeSearch>(kind: string, one: T): T => {
    const unwatch = watch(kind, one.memory);
    return {
      ...one,
      close() {
        unwatch();
        return one.close();
      },
    };
  };
  return {
    search: watched('records', nodes ? searchOnOwner(search, nodes, cell) : search),
    knowledgeSearch: watched('knowledge', knowledgeSearch),
    messageSearch: watched(
      'messages',
      nodes ? messageSearchOnOwner(messageSearch, nodes, cell) : messageSearch,
    ),
  };
}

export async function closeContext(context: ServiceContext): Promise<void> {
  await context.nodes?.close();
  await closeCellContext(context);
  await context.redis?.close();
  await context.safeFetch.close();
  await context.providerFetch.close();
  await context.recogniser.close();
  await context.converter.close();
  await context.extraction.stop();
  await context.blobs.close();
}

/** What `createCellContext` made; the rest is the home cell's. */
export async function closeCellContext(context: ServiceContext): Promise<void> {
  context.clock.stop();
  await context.search.close();
  await context.messageSearch.close();
  await context.knowledgeSearch.close();
  await context.rateLimits.close();
  await leaveProcesses(context.db);
}
