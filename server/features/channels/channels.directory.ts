/**
 * An account's channels and agents as one value, cached by each process like the boards' definitions and under the same
 * version: a write that is checked against boards and channels checks one number.
 */
import { LRUCache } from 'lru-cache';
import type {
  AgentLimits,
  AgentTool,
  Channel,
  MaskedKind,
  Provider,
  PublishGate,
} from '../../../contract/channels.ts';
import type { Db, Reader } from '../../platform/db/db.ts';
import { type AccountHours, accountHours } from '../business-hours/business-hours.ts';
import { type ChannelsOfAccount, type Definitions, StaleDefinitions } from '../kanbans/kanbans.ts';
import { selectDirectory } from './channels.directory.sql.ts';

export interface AgentDefinition {
  id: string;
  name: string;
  provider: Provider;
  model: string | null;
  baseUrl: string | null;
  /** Sealed. */
  apiKey: string | null;
  instructions: string;
  knowledge: { title: string; text: string }[];
  tools: AgentTool[];
  batchWindowMs: number;
  /** Empty: the conversation's board and those of its channel's agentKanbanConfigs. */
  allowedKanbanIds: string[];
  publishGate: PublishGate;
  /** Of the account's tools. */
  toolIds: string[];
  /** Of the account's knowledge. */
  knowledgeSourceIds: string[];
  mayUseInternal: boolean;
  answerOnlyFromKnowledge: boolean;
  price: { input: number; output: number } | null;
  maskForModel: MaskedKind[];
  limits: AgentLimits;
  blockedPatterns: string[];
  version: number;
  hasDraft: boolean;
  createdAt: number;
  updatedAt: number;
}

/** How long after a customer's message free text may be sent, by AI agents and by people. */
export interface SendWindow {
  agentMs: number;
  personMs: number;
  /** The provider takes templates afterwards. */
  hasTemplates: boolean;
}

export interface Directory {
  version: number;
  channels: Map<string, Channel>;
  /** Channels with a connector: it sends their messages. */
  connectedIds: ReadonlySet<string>;
  /** Of channels whose provider limits free text. */
  windows: ReadonlyMap<string, SendWindow>;
  agents: Map<string, AgentDefinition>;
  hours: AccountHours;
}

export interface DirectoryCache {
  /** The directory of the same version as the definitions. */
  of(accountId: string, definitions: Definitions, reader?: Reader): Promise<Directory>;
}

const accountsKept = 1_000;

export function createDirectoryCache(db: Db, capacity = accountsKept): DirectoryCache {
  const kept = new LRUCache<string, Directory>({ max: capacity });
  return {
    async of(accountId, definitions, reader = db) {
      const mine = kept.get(accountId);
      if (mine?.version === definitions.version) return mine;
      const directory = await loadDirectory(reader, accountId);
      kept.set(accountId, directory);
      if (directory.version !== definitions.version) throw new StaleDefinitions();
      return directory;
    },
  };
}

/** The interface through which boards ask about channels. */
export function createChannelsOfAccount(db: Db, directory: DirectoryCache): ChannelsOfAccount {
  const load = async (reader: Reader, accountId: string) => [
    ...(await loadDirectory(reader, accountId)).channels.values(),
  ];
  return {
    load,
    async at(accountId, definitions) {
      try {
        return [...(await directory.of(accountId, definitions)).channels.values()];
      } catch (error) {
        // Changed since the definitions were read: the current state will do.
        if (error instanceof StaleDefinitions) return load(db, accountId);
        throw error;
      }
    },
  };
}

export async function loadDirectory(db: Reader, accountId: string): Promise<Directory> {
  const { version, channels, hours, teamHours, connectedIds, windows, agents } = await selectDirectory(
    db,
    accountId,
  );
  return {
    version,
    channels: new Map(channels.map((channel) => [channel.id, channel])),
    connectedIds: new Set(connectedIds),
    windows: new Map(windows.map(({ channelId, ...window }) => [channelId, window])),
    agents: new Map(agents.map((agent) => [agent.id, agent])),
    hours: accountHours(hours, teamHours),
  };
}

export function findChannel(directory: Directory, identifier: string, type: string): Channel | null {
  for (const channel of directory.channels.values()) {
    if (channel.identifier === identifier && channel.type === type) return channel;
  }
  return null;
}

/** The default agent is always allowed. */
export function allowsAgent(channel: Channel, agentId: string): boolean {
  return agentId === channel.defaultAgentId || channel.allowedAgentIds.includes(agentId);
}
