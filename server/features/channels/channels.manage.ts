/** Creating, changing and deleting channels. */
import type { Channel, ChannelCreate, ChannelRead, ChannelUpdate } from '../../../contract/channels.ts';
import type { Connector } from '../../../contract/connectors.schemas.ts';
import type { Tx } from '../../platform/db/db.ts';
import {
  deleteChannelEndpoints,
  insertChannelEndpoint,
  newEndpointSecret,
  rotateEndpointSecret,
  sealEndpointSecret,
  updateChannelEndpoint,
} from '../../platform/events/endpoints.ts';
import { badRequest, conflict, notFound } from '../../platform/http/errors.ts';
import { isId, newId } from '../../platform/ids.ts';
import { checkOutboundUrl, type OutboundAllow } from '../../platform/outbound/outbound-address.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import {
  type Actor,
  audit,
  differences,
  lockAccountConfig,
  may,
  requireAddressRight,
} from '../accounts/accounts.ts';
import { checkHoursId, dropHoursOfChannel, type UsesOfHours } from '../business-hours/business-hours.ts';
import { type Definitions, loadDefinitions, renameBinding } from '../kanbans/kanbans.ts';
import { checkTeamId } from '../teams/teams.ts';
import { createAgent } from './agents/agents.ts';
import { type Directory, findChannel, loadDirectory } from './channels.directory.ts';
import {
  deleteChannel,
  insertChannel,
  selectChannelsWithHours,
  sessionsExist,
  updateChannel,
} from './channels.sql.ts';

export const channelsWithHours: UsesOfHours = {
  find: async (db, accountId, hoursId) =>
    (await selectChannelsWithHours(db, accountId, hoursId)).map((channel) => ({
      type: 'channel',
      ...channel,
    })),
};

const transcribeSettings = ['opus', 'all', 'off'];

export async function checkWebhookUrl(url: string | null | undefined, allow: OutboundAllow): Promise<void> {
  if (url === undefined || url === null) return;
  const problem = await checkOutboundUrl(url, allow);
  if (problem) throw badRequest(`webhookUrl ${problem}`);
}

/** The initial content of every account: an agent that needs no key and no network, and two channels to reach it. */
export function startAccountWithChannels(secrets: Secrets) {
  return async (tx: Tx, actor: Actor, now: number): Promise<void> => {
    const agent = await createAgent(tx, actor, now, secrets, {
      name: 'Assistant',
      provider: 'offline',
      instructions: 'Answer from the knowledge entries. Offer a person when nothing fits.',
      knowledge: [
        {
          title: 'What is Talkboard?',
          text: 'Talkboard keeps your customers on boards and your conversations in one place. I answer from the knowledge entries that your team writes, and hand over to a person when you ask for one.',
        },
        {
          title: 'What can I do with a board?',
          text: 'A board shows your customers as cards in columns. Every new conversation makes a card; you move it from column to column as things go on.',
        },
      ],
      tools: ['hand_over'],
    });
    for (const type of ['api', 'web'] as const) {
      await createChannel(tx, actor, now, secrets, {
        name: type === 'api' ? 'API' : 'Website',
        identifier: type,
        type,
        defaultAgentId: agent.id,
      });
    }
  };
}

export async function createChannel(
  tx: Tx,
  actor: Actor,
  now: number,
  secrets: Secrets,
  input: ChannelCreate,
): Promise<Channel & { webhookSecret: string }> {
  const { accountId } = actor;
  await lockAccountConfig(tx, accountId);
  const channel: Channel = {
    id: newId(now),
    name: input.name.trim(),
    identifier: input.identifier,
    type: input.type,
    enabled: input.enabled ?? true,
    defaultAgentId: input.defaultAgentId,
    allowedAgentIds: input.allowedAgentIds ?? [],
    agentKanbanConfigs: input.agentKanbanConfigs ?? {},
    webhookUrl: input.webhookUrl ?? null,
    forwardIncoming: input.forwardIncoming ?? false,
    settings: input.settings ?? {},
    assignment: { mode: 'off', teamId: null, ...input.assignment },
    hoursId: input.hoursId ?? null,
    createdAt: now,
    updatedAt: now,
  };
  checkForwarding(actor, channel);
  checkIdentifier(channel.identifier);
  await checkChannel(tx, accountId, channel);
  await insertChannel(tx, accountId, channel);
  const webhookSecret = newEndpointSecret();
  const sealedSecret = sealEndpointSecret(secrets, channel.id, webhookSecret);
  await insertChannelEndpoint(tx, accountId, { id: channel.id, url: channel.webhookUrl, sealedSecret, now });
  await audit(tx, actor, now, {
    action: 'channel.created',
    target: { type: 'channel', id: channel.id },
    changes: differences({}, { name: channel.name, type: channel.type, identifier: channel.identifier }),
  });
  return { ...channel, webhookSecret };
}

export async function changeChannel(
  tx: Tx,
  actor: Actor,
  now: number,
  id: string,
  change: ChannelUpdate,
): Promise<Channel> {
  const { accountId } = actor;
  await lockAccountConfig(tx, accountId);
  const directory = await loadDirectory(tx, accountId);
  const before = requireChannel(directory, id);
  const after: Channel = {
    ...before,
    name: change.name === undefined ? before.name : change.name.trim(),
    identifier: change.identifier ?? before.identifier,
    type: change.type ?? before.type,
    enabled: change.enabled ?? before.enabled,
    defaultAgentId: change.defaultAgentId ?? before.defaultAgentId,
    allowedAgentIds: change.allowedAgentIds ?? before.allowedAgentIds,
    agentKanbanConfigs: change.agentKanbanConfigs ?? before.agentKanbanConfigs,
    webhookUrl: change.webhookUrl === undefined ? before.webhookUrl : change.webhookUrl,
    forwardIncoming: change.forwardIncoming ?? before.forwardIncoming,
    settings: change.settings ?? before.settings,
    assignment: { ...before.assignment, ...change.assignment },
    hoursId: change.hoursId === undefined ? before.hoursId : change.hoursId,
    updatedAt: now,
  };
  checkForwarding(actor, after, before);
  if (after.type !== before.type && (await sessionsExist(tx, accountId, { channelId: id }))) {
    throw conflict('the channel has conversations: its type cannot change');
  }
  if (after.identifier !== before.identifier) checkIdentifier(after.identifier);
  await checkChannel(tx, accountId, after, change.agentKanbanConfigs !== undefined);
  await updateChannel(tx, accountId, after);
  await renameBinding(tx, accountId, before.name, after.name, othersIn(directory, id));
  if (change.webhookUrl !== undefined) await updateChannelEndpoint(tx, accountId, id, after.webhookUrl, now);
  await audit(tx, actor, now, {
    action: 'channel.updated',
    target: { type: 'channel', id },
    changes: differences(before, { ...after, updatedAt: undefined }),
  });
  return after;
}

export async function removeChannel(
  tx: Tx,
  actor: Actor,
  now: number,
  id: string,
  usesOfHours: readonly UsesOfHours[],
): Promise<void> {
  const { accountId } = actor;
  await lockAccountConfig(tx, accountId);
  const directory = await loadDirectory(tx, accountId);
  const channel = requireChannel(directory, id);
  if (await sessionsExist(tx, accountId, { channelId: id }))
    throw conflict('the channel has conversations and cannot be deleted');
  await deleteChannel(tx, accountId, id);
  await dropHoursOfChannel(tx, actor, now, channel, usesOfHours);
  await deleteChannelEndpoints(tx, accountId, [id]);
  await renameBinding(tx, accountId, channel.name, null, othersIn(directory, id));
  await audit(tx, actor, now, {
    action: 'channel.deleted',
    target: { type: 'channel', id },
    changes: { name: { from: channel.name, to: null } },
  });
}

export async function rotateChannelSecret(
  tx: Tx,
  actor: Actor,
  now: number,
  secrets: Secrets,
  id: string,
): Promise<string> {
  requireChannel(await loadDirectory(tx, actor.accountId), id);
  const secret = newEndpointSecret();
  await rotateEndpointSecret(tx, actor.accountId, id, sealEndpointSecret(secrets, id, secret), now);
  await audit(tx, actor, now, { action: 'channel.secret_rotated', target: { type: 'channel', id } });
  return secret;
}

/**
 * What operators, and tokens without `manage`, see: no webhookUrl, only settings that the service knows, and of the
 * connector its kind and state. A mailbox also has its address and its signature, which a reply needs.
 */
export function toChannelFor(actor: Actor, channel: Channel, connector: Connector | null): ChannelRead {
  if (may(actor, 'channels.manage')) return { ...channel, connector };
  const { webhookUrl: _hidden, settings, ...shown } = channel;
  const { transcribe } = settings;
  return {
    ...shown,
    settings: transcribe === undefined ? {} : { transcribe },
    connector: connector && {
      kind: connector.kind,
      state: connector.state,
      ...(connector.kind === 'email' && { address: connector.address }),
      ...(connector.kind === 'email' &&
        connector.signature !== undefined && { signature: connector.signature }),
    },
  };
}

function othersIn(directory: Directory, id: string): Channel[] {
  return [...directory.channels.values()].filter((channel) => channel.id !== id);
}

export function requireChannel(directory: Directory, id: string): Channel {
  const channel = isId(id) ? directory.channels.get(id) : undefined;
  if (!channel) throw notFound('channel');
  return channel;
}

/** Forwarding less needs no further right. */
function checkForwarding(actor: Actor, after: Channel, before?: Channel): void {
  const { webhookUrl, forwardIncoming, settings } = after;
  if (webhookUrl !== null && webhookUrl !== before?.webhookUrl) requireAddressRight(actor, 'webhookUrl');
  if (forwardIncoming && !before?.forwardIncoming) requireAddressRight(actor, 'forwardIncoming');
  if (settings.forwardUpdates === true && before?.settings.forwardUpdates !== true) {
    requireAddressRight(actor, 'settings.forwardUpdates');
  }
}

/** A board may be deleted while an agent is mapped to it, so the mapping is checked only when it is set. */
async function checkChannel(tx: Tx, accountId: string, channel: Channel, checkConfigs = true): Promise<void> {
  if (!channel.name) throw badRequest('name is required');
  const directory = await loadDirectory(tx, accountId);
  const sameAddress = findChannel(directory, channel.identifier, channel.type);
  if (sameAddress && sameAddress.id !== channel.id)
    throw conflict('identifier is already in use for this type');
  if (!directory.agents.has(channel.defaultAgentId)) throw badRequest('defaultAgentId is not an agent');
  const unknown = channel.allowedAgentIds.find((id) => !directory.agents.has(id));
  if (unknown !== undefined)
    throw badRequest(`allowedAgentIds has an unknown agent: ${unknown.slice(0, 100)}`);
  if (checkConfigs && Object.keys(channel.agentKanbanConfigs).length > 0) {
    checkKanbanConfigs(channel, directory, await loadDefinitions(tx, accountId));
  }
  await checkTeamId(tx, accountId, channel.assignment.teamId, 'assignment.teamId');
  await checkHoursId(tx, accountId, channel.hoursId);
  const { transcribe } = channel.settings;
  if (transcribe !== undefined && !transcribeSettings.includes(String(transcribe))) {
    throw badRequest(`settings.transcribe must be one of ${transcribeSettings.join(', ')}`);
  }
  const { answersFirst } = channel.settings;
  if (answersFirst !== undefined && answersFirst !== 'agent' && answersFirst !== 'people') {
    throw badRequest('settings.answersFirst must be one of agent, people');
  }
  const { forwardUpdates } = channel.settings;
  if (forwardUpdates !== undefined && typeof forwardUpdates !== 'boolean') {
    throw badRequest('settings.forwardUpdates must be true or false');
  }
}

/** Some systems compare ids without regard to case: the id of another channel would then lead to this one. */
function checkIdentifier(identifier: string): void {
  const id = identifier.trim().toLowerCase();
  if (identifier !== id && isId(id)) throw badRequest('identifier must not be an id in another spelling');
}

function checkKanbanConfigs(channel: Channel, directory: Directory, definitions: Definitions): void {
  for (const [agentId, kanbanId] of Object.entries(channel.agentKanbanConfigs)) {
    if (!directory.agents.has(agentId)) {
      throw badRequest(`agentKanbanConfigs has an unknown agent: ${agentId.slice(0, 100)}`);
    }
    if (!definitions.kanbans.has(kanbanId)) {
      throw badRequest(`agentKanbanConfigs has an unknown kanban: ${kanbanId.slice(0, 100)}`);
    }
  }
}
