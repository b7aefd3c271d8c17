/** What features receive. Built once in service.ts and passed on explicitly; there are no module-level instances. */
import type { Config } from './config.ts';
import type {
  AccountHomes,
  AccountStarter,
  Actor,
  Authenticator,
  InvitationsOfRole,
  SessionsOfUser,
  SharedWork,
} from './features/accounts/accounts.ts';
import type { BlockHash } from './features/blocked-contacts/blocked-contacts.ts';
import type { UsesOfHours } from './features/business-hours/business-hours.ts';
import type {
  AccountConfigCache,
  ConnectorsOfChannels,
  TestsOfAgents,
} from './features/channels/channels.ts';
import type { Links, Registry, Signals } from './features/connectors/connectors.ts';
import type { ChannelsOfAccount, DefinitionsCache, RecordsOfKanban } from './features/kanbans/kanbans.ts';
import type { Extraction, KnowledgeSearch } from './features/knowledge/knowledge.ts';
import type { Labelled } from './features/labels/labels.ts';
import type { MessageSearch } from './features/message-search/message-search.ts';
import type { Intake } from './features/messages/messages.ts';
import type { Search } from './features/search/search.ts';
import type { SessionFilters } from './features/sessions/sessions.ts';
import type { Converter } from './platform/audio/audio-converter.ts';
import type { Recogniser } from './platform/audio/recognised.ts';
import type { BlobStore } from './platform/blobs/blob-store.ts';
import type { Forwarding } from './platform/cells/forward.ts';
import type { Clock } from './platform/db/clock.ts';
import type { Db } from './platform/db/db.ts';
import type { Metrics } from './platform/http/metrics.ts';
import type { CellStatus } from './platform/http/operations.routes.ts';
import type { PageTokens } from './platform/http/page-token.ts';
import type { Write } from './platform/http/write.ts';
import type { RateLimits } from './platform/limits/rate-limit.ts';
import type { Logger } from './platform/logger.ts';
import type { Nodes } from './platform/nodes/nodes.ts';
import type { SafeFetch } from './platform/outbound/safe-fetch.ts';
import type { RedisLinks } from './platform/redis-links.ts';
import type { Secrets } from './platform/secrets/secrets.ts';

/** What background work needs. */
export interface ServiceContext {
  config: Config;
  logger: Logger;
  db: Db;
  /** The home cell's, for what the whole instance shares; the same as `db` unless there are CELLS. */
  instanceDb: Db;
  /** The name of its cell. */
  cell: string;
  accountHomes: AccountHomes;
  /** Of the cells besides home; null: there are none. */
  cellStatus: (() => Promise<CellStatus[]>) | null;
  /** Where a request goes that names its account in the body; null: here. */
  forwarding: Forwarding | null;
  /** The processes that search for each other; null: this one searches alone. */
  nodes: Nodes | null;
  clock: Clock;
  secrets: Secrets;
  pageTokens: PageTokens;
  rateLimits: RateLimits;
  metrics: Metrics;
  /** Null: REDIS_URL is not set. */
  redis: RedisLinks | null;
  authenticator: Authenticator;
  accountStarters: readonly AccountStarter[];
  definitions: DefinitionsCache;
  recordsOfKanban: RecordsOfKanban;
  sessionsOfUser: SessionsOfUser;
  sharedWork: SharedWork;
  invitationsOfRole: InvitationsOfRole;
  /** What lists of conversations can be filtered by. */
  sessionFilters: SessionFilters;
  labelled: { sessions: Labelled; records: Labelled };
  /** What refers to business hours. */
  usesOfHours: readonly UsesOfHours[];
  channelsOfAccount: ChannelsOfAccount;
  accountConfig: AccountConfigCache;
  blockHash: BlockHash;
  intake: Intake;
  /** By kind. */
  providers: Registry;
  links: Links;
  signals: Signals;
  connectors: ConnectorsOfChannels;
  testsOfAgents: TestsOfAgents;
  /** With as many connections as there are channels: one that is slow must not keep the others waiting. */
  providerFetch: SafeFetch;
  safeFetch: SafeFetch;
  blobs: BlobStore;
  extraction: Extraction;
  converter: Converter;
  recogniser: Recogniser;
  search: Search;
  messageSearch: MessageSearch;
  knowledgeSearch: KnowledgeSearch;
}

/** What routes need in addition; app.ts adds it. */
export interface Context extends ServiceContext {
  write: Write;
  /** The boards that an actor may see, as they are now; null: all of them. */
  visibleTo(actor: Actor): Promise<string[] | null>;
}
