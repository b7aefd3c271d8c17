/** The base of the demo's conversations and records: users, boards, agents, channels, saved replies, macros and views. */
import { limits } from '../../../../contract/limits.ts';
import type { MacroStep } from '../../../../contract/macros.ts';
import type { Tx } from '../../../platform/db/db.ts';
import type { Secrets } from '../../../platform/secrets/secrets.ts';
import { type Actor, createUser, type UserActor } from '../../accounts/accounts.ts';
import { createCase } from '../../agent-tests/agent-tests.ts';
import {
  contentOf,
  createAgent,
  createChannel,
  loadDirectory,
  publishContent,
  requireAgent,
} from '../../channels/channels.ts';
import { createReply, createView } from '../../dashboard-api/dashboard-api.ts';
import {
  createField,
  createFieldGroup,
  createKanban,
  type Definitions,
  loadDefinitions,
  putMembers,
} from '../../kanbans/kanbans.ts';
import { createLabel, listLabels } from '../../labels/labels.ts';
import { createMacro, listMacros } from '../../macros/macros.ts';
import { createTool, listTools } from '../../tools/tools.ts';
import { day } from './demo.calendar.ts';
import {
  agentCases,
  agents,
  agentVersions,
  type Board,
  boards,
  cancelOrder,
  channels,
  labels,
  macros,
  people,
  savedReplies,
} from './demo.content.ts';
import { type DemoKnowledge, makeKnowledge } from './demo.knowledge.ts';
import type { Topic } from './demo.scripts.ts';

export interface Workspace {
  people: UserActor[];
  kanbanIds: string[];
  agentIds: { [topic in Topic]: string };
  /** Null: the account has a tool of this name, or as many as it can. */
  toolId: string | null;
  channels: { id: string; type: string; share: number }[];
  labels: DemoLabel[];
  knowledge: DemoKnowledge;
  definitions: Definitions;
}

interface DemoLabel {
  id: string;
  name: string;
  topic: Topic;
  share: number;
}

export async function makeWorkspace(
  tx: Tx,
  actor: Actor,
  times: { at: number; now: number },
  secrets: Secrets,
  passwordHash: string,
): Promise<Workspace> {
  const { at } = times;
  const team = await makePeople(tx, actor, at, passwordHash);
  const kanbanIds: string[] = [];
  for (const board of boards) kanbanIds.push(await makeBoard(tx, actor, at, board, team));
  const boardOf = (topic: Topic) => kanbanIds[boards.findIndex((board) => board.topic === topic)]!;

  const knowledge = await makeKnowledge(tx, actor, times, secrets);
  const agentIds: { [topic: string]: string } = {};
  for (const { topic, ...agent } of agents) {
    const answering = { ...agent, knowledgeSourceIds: [knowledge.sourceId] };
    agentIds[topic] = (await createAgent(tx, actor, at, secrets, answering)).id;
  }
  const byTopic = agentIds as Workspace['agentIds'];
  const toolId = await makeTool(tx, actor, at, secrets);
  await publishVersions(tx, actor, at, byTopic, toolId);
  for (const { topic, ...written } of agentCases)
    await createCase(tx, actor, at, { agentId: byTopic[topic], visible: null }, written, null);
  const made: Workspace['channels'] = [];
  for (const { share, ...channel } of channels) {
    const { id, type } = await createChannel(tx, actor, at, secrets, {
      ...channel,
      defaultAgentId: byTopic.sales,
      allowedAgentIds: [byTopic.support],
      agentKanbanConfigs: {
        [byTopic.sales]: boardOf('sales'),
        [byTopic.support]: boardOf('support'),
      },
    });
    made.push({ id, type, share });
  }
  // Each change of the configuration makes loaded definitions stale.
  const ownLabels = await makeLabels(tx, actor, at);
  const definitions = await loadDefinitions(tx, actor.accountId);
  await makeSaved(tx, team, at, definitions, boardOf('sales'));
  await makeMacros(tx, team[0]!, at, definitions, ownLabels);
  return {
    people: team,
    kanbanIds,
    agentIds: byTopic,
    toolId,
    channels: made,
    labels: ownLabels,
    knowledge,
    definitions,
  };
}

async function makeTool(tx: Tx, actor: Actor, at: number, secrets: Secrets): Promise<string | null> {
  const existing = await listTools(tx, actor.accountId);
  if (existing.length >= limits.tools.perAccount) return null;
  if (existing.some(({ name }) => name === cancelOrder.name)) return null;
  const definitions = await loadDefinitions(tx, actor.accountId);
  return (await createTool(tx, secrets, actor, at, definitions, cancelOrder)).id;
}

async function publishVersions(
  tx: Tx,
  actor: Actor,
  at: number,
  agentIds: Workspace['agentIds'],
  toolId: string | null,
): Promise<void> {
  for (const { topic, afterDays, note, instructions, hasTool } of agentVersions) {
    const then = at + afterDays * day;
    const toolIds = hasTool && toolId !== null ? { toolIds: [toolId] } : {};
    const agent = requireAgent(await loadDirectory(tx, actor.accountId), agentIds[topic]);
    const content = { ...contentOf(agent), instructions, ...toolIds };
    await publishContent(tx, actor, then, agent, { content, note, action: 'agent.published' });
  }
}

/** The account may have a label of the same name: that one is used, and stays when the demo goes. */
async function makeLabels(tx: Tx, actor: Actor, at: number): Promise<DemoLabel[]> {
  const existing = await listLabels(tx, actor.accountId);
  if (existing.length + labels.length > limits.labels) return [];
  const made: DemoLabel[] = [];
  for (const { topic, share, ...label } of labels) {
    const same = existing.find(({ name }) => name.toLowerCase() === label.name.toLowerCase());
    const { id } = same ?? (await createLabel(tx, actor, at, label));
    made.push({ id, name: label.name, topic, share });
  }
  return made;
}

/** The account may have a macro of the same name, or as many as it can: that one stays, and is not replaced. */
async function makeMacros(
  tx: Tx,
  owner: UserActor,
  at: number,
  definitions: Definitions,
  ownLabels: DemoLabel[],
): Promise<void> {
  const existing = await listMacros(tx, owner);
  if (existing.length + macros.length > limits.macros) return;
  for (const { name, label, steps } of macros) {
    if (existing.some((one) => one.name.toLowerCase() === name.toLowerCase())) continue;
    const labelId = ownLabels.find((one) => one.name === label)?.id;
    const added: MacroStep[] = labelId ? [{ type: 'label', addLabelIds: [labelId] }] : [];
    await createMacro(tx, owner, at, definitions, { name, shared: true, steps: [...added, ...steps] });
  }
}

async function makePeople(tx: Tx, actor: Actor, at: number, passwordHash: string): Promise<UserActor[]> {
  const { accountId } = actor;
  const domain = `demo-${accountId.slice(-12)}.example`;
  const team: UserActor[] = [];
  for (const name of people) {
    const email = `${name.toLowerCase().replace(' ', '.')}@${domain}`;
    const { id } = await createUser(tx, actor, at, { email, name, role: 'operator', passwordHash });
    // As an administrator here: the user of an invented record may have no access to its board.
    team.push({
      kind: 'user',
      accountId,
      id,
      name,
      email,
      role: 'admin',
      isInstanceAdmin: false,
      sessionId: '',
    });
  }
  return team;
}

async function makeBoard(tx: Tx, actor: Actor, at: number, board: Board, team: UserActor[]): Promise<string> {
  const { id } = await createKanban(tx, actor, at, board.kanban);
  for (const group of board.groups) {
    const { id: groupId } = await createFieldGroup(tx, actor, at, id, { name: group.name });
    for (const field of group.fields) await createField(tx, actor, at, id, { ...field, groupId });
  }
  if (board.members.length > 0) {
    const members = board.members.map((position) => team[position]!.id);
    await putMembers(tx, actor, at, id, members);
  }
  return id;
}

async function makeSaved(
  tx: Tx,
  [owner, second]: UserActor[],
  at: number,
  definitions: Definitions,
  kanbanId: string,
): Promise<void> {
  for (const reply of savedReplies) await createReply(tx, owner!, at, { ...reply, shared: true });
  const fields = [...definitions.kanbans.get(kanbanId)!.fields.values()];
  const idOf = (name: string) => fields.find((field) => field.name === name)!.id;
  const look = { sum: idOf('Value'), face: [idOf('Value'), idOf('Source'), idOf('Decision by')] };
  const views = [
    { name: 'From fairs', settings: { ...look, filters: { field: idOf('Source'), value: 'Fair' } } },
    { name: 'Of Jonas', settings: { ...look, filters: { assignee: second!.id } } },
  ];
  for (const view of views) {
    await createView(tx, owner!, at, definitions, { ...view, kanbanId, shared: true });
  }
}
