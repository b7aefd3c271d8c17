/** Which agent helps operators, with what, and who may ask for it. */
import {
  type CopilotRequest,
  type CopilotSettings,
  type CopilotSettingsUpdate,
  type CopilotTask,
  copilotTasks,
} from '../../../contract/copilot.ts';
import type { Reader, Tx } from '../../platform/db/db.ts';
import { AppError, badRequest } from '../../platform/http/errors.ts';
import { type Actor, audit, differences, requireMay } from '../accounts/accounts.ts';
import type { AccountConfig, AccountConfigCache, AgentDefinition } from '../channels/channels.ts';
import { findSettings, type StoredSettings, saveSettings } from './copilot.sql.ts';

const initial: StoredSettings = { agentId: null, tasks: [...copilotTasks] };
const needModel: ReadonlySet<CopilotTask> = new Set(['rewrite', 'translate']);
/** What they make is sent to the customer. */
const forReplies: ReadonlySet<CopilotTask> = new Set(['suggest', 'rewrite']);

export async function readCopilot(
  db: Reader,
  accountConfig: AccountConfigCache,
  accountId: string,
): Promise<CopilotSettings> {
  const [settings, { directory }] = await Promise.all([
    findSettings(db, accountId),
    accountConfig.fresh(accountId),
  ]);
  return withAvailable(settings ?? initial, directory.agents);
}

export async function changeCopilot(
  tx: Tx,
  actor: Actor,
  now: number,
  { directory }: AccountConfig,
  change: CopilotSettingsUpdate,
): Promise<CopilotSettings> {
  const { accountId } = actor;
  const before = (await findSettings(tx, accountId)) ?? initial;
  const after = { ...before, ...change };
  if (after.agentId !== null && !directory.agents.has(after.agentId)) {
    throw badRequest(`agentId has an unknown agent: ${after.agentId}`);
  }
  const changes = differences(before, after);
  if (Object.keys(changes).length > 0) {
    await saveSettings(tx, accountId, after);
    const target = { type: 'copilot', id: accountId };
    await audit(tx, actor, now, { action: 'copilot.updated', target, changes });
  }
  return withAvailable(after, directory.agents);
}

function withAvailable(
  { agentId, tasks }: StoredSettings,
  agents: ReadonlyMap<string, AgentDefinition>,
): CopilotSettings {
  const agent = agentId === null ? undefined : agents.get(agentId);
  return {
    agentId,
    tasks,
    available: agent ? tasks.filter((task) => agent.provider !== 'offline' || !needModel.has(task)) : [],
  };
}

/** The agent that does it. A 403 or 409 says why nobody does. */
export async function requireTask(
  db: Reader,
  accountConfig: AccountConfigCache,
  actor: Actor,
  task: CopilotTask,
): Promise<AgentDefinition> {
  if (forReplies.has(task)) requireMay(actor, 'conversations.reply');
  const { agentId, tasks } = (await findSettings(db, actor.accountId)) ?? initial;
  const { directory } = await accountConfig.fresh(actor.accountId);
  const agent = agentId === null ? undefined : directory.agents.get(agentId);
  if (!agent) throw new AppError(409, 'COPILOT_OFF', 'the copilot is off: no agent is chosen for it');
  if (!tasks.includes(task)) throw new AppError(409, 'COPILOT_OFF', `${task} is switched off`);
  if (agent.provider === 'offline' && needModel.has(task)) {
    throw new AppError(409, 'MODEL_REQUIRED', `${task} needs an agent with a model`);
  }
  return agent;
}

/** Each task needs its own properties; others are ignored. */
export function checkRequest({ task, text, messageIds, language, style, question }: CopilotRequest): void {
  const need = (name: string, given: string | undefined) => {
    if (given === undefined || given.trim() === '') throw badRequest(`${name} is required for ${task}`);
  };
  if (task === 'rewrite') {
    need('text', text);
    need('style', style);
  }
  if (task === 'translate') {
    need('language', language);
    if (messageIds === undefined) need('text', text);
    else if (text !== undefined) throw badRequest('text and messageIds cannot be used together');
  }
  if (task === 'ask') need('question', question);
}
