/** Rules of the demo with what they did in the last days, and a service level with what it measured. */
import type { AutomationCreate } from '../../../../contract/automation/automations.ts';
import { limits } from '../../../../contract/limits.ts';
import type { Tx } from '../../../platform/db/db.ts';
import type { Secrets } from '../../../platform/secrets/secrets.ts';
import { demoActor } from '../../accounts/accounts.ts';
import {
  createAutomation,
  insertPastCauses,
  listAutomations,
  type PastCause,
} from '../../automations/automations.ts';
import { type AccountConfig, loadDirectory } from '../../channels/channels.ts';
import { createPolicy, listPolicies, settleServiceLevels } from '../../service-levels/service-levels.ts';
import { day } from './demo.calendar.ts';
import type { SettledConversation } from './demo.lifecycle.ts';
import type { Workspace } from './demo.workspace.ts';

interface Past {
  workspace: Workspace;
  conversations: readonly SettledConversation[];
  secrets: Secrets;
  begin: number;
  now: number;
}

const daysBack = 14;
const labelName = 'Delivery';
const deliveries = 'where is my order|dónde está mi pedido|ainda não chegou|arrived late';
const isAboutDelivery = new RegExp(deliveries, 'i');

/** As the rule has left them. */
export function labelDeliveries(
  conversations: readonly SettledConversation[],
  labels: Workspace['labels'],
  now: number,
): void {
  const label = labels.find(({ name }) => name === labelName);
  if (!label) return;
  for (const { session, messages } of conversations) {
    const isMeant = messages.some(
      ({ role, at, content }) =>
        role === 'user' && at > now - daysBack * day && isAboutDelivery.test(content),
    );
    if (isMeant) session.labelIds = [...new Set([...session.labelIds, label.id])].sort();
  }
}

/** They are about the demo's channels only. The account may have as many rules as it can: then there are none. */
export async function makeRules(tx: Tx, accountId: string, past: Past): Promise<void> {
  const { workspace, begin, now } = past;
  const [lead] = workspace.people;
  const label = workspace.labels.find(({ name }) => name === labelName);
  const inDemo = {
    field: 'session.channelId',
    op: 'anyOf',
    value: workspace.channels.map(({ id }) => id),
  };
  const rules: { rule: AutomationCreate; causes: PastCause[] }[] = [
    {
      rule: {
        name: `Tell ${lead!.name} when a person is needed`,
        enabled: true,
        trigger: { on: 'ai_handed_over' },
        conditions: inDemo,
        steps: [
          { id: 'tell', type: 'notify', userIds: [lead!.id], text: '{{customer}} asked for a person.' },
        ],
      },
      causes: handOvers(past, lead!.id),
    },
    ...(label
      ? [
          {
            rule: {
              name: 'Label questions about deliveries',
              enabled: true,
              trigger: { on: 'customer_message' as const },
              conditions: {
                and: [inDemo, { field: 'message.content', op: 'matches', value: `(?i)${deliveries}` }],
              },
              steps: [{ id: 'mark', type: 'label' as const, addLabelIds: [label.id] }],
            },
            causes: questions(past, label.id),
          },
        ]
      : []),
    {
      rule: {
        name: 'Follow up after three days of silence',
        trigger: { on: 'no_customer_reply', minutes: 3 * 1_440 },
        conditions: { and: [inDemo, { field: 'session.status', op: 'is', value: 'open' }] },
        steps: [
          { id: 'ask', type: 'reply', text: 'Hello {{first name}}, did this answer your question?' },
          { id: 'wait', type: 'wait', minutes: 3 * 1_440, cancelOn: ['customer_message', 'team_reply'] },
          { id: 'end', type: 'resolve' },
        ],
      },
      causes: [],
    },
  ];
  const existing = await listAutomations(tx, accountId, now);
  const enabled = existing.filter((rule) => rule.enabled).length;
  if (existing.length + rules.length > limits.automation.rules) return;
  if (enabled + rules.length > limits.automation.enabled) return;
  const config = await configOf(tx, accountId, workspace);
  const context = {
    db: tx,
    actor: demoActor(accountId),
    config,
    now: begin,
    secrets: past.secrets,
    canMail: false,
    outboundAllow: { allows: () => false },
  };
  const made: Parameters<typeof insertPastCauses>[3][number][] = [];
  for (const { rule, causes } of rules) {
    made.push({ rule: await createAutomation(tx, context, rule), causes });
  }
  await insertPastCauses(tx, accountId, config, made);
}

const configOf = async (
  tx: Tx,
  accountId: string,
  { definitions }: Pick<Workspace, 'definitions'>,
): Promise<AccountConfig> => ({
  version: definitions.version,
  definitions,
  directory: await loadDirectory(tx, accountId),
});

function handOvers({ conversations, now }: Past, leadId: string): PastCause[] {
  return conversations.flatMap(({ session: { sessionId, sessionName, agentId, recordId }, pauses }) =>
    pauses
      .filter(({ at, aiPaused, changedBy }) => aiPaused && changedBy === agentId && at > now - daysBack * day)
      .map(({ at, sequence }) => ({
        type: 'session_change',
        id: `${sessionId}:${sequence}`,
        at,
        sessionId,
        recordId,
        input: { userIds: [leadId], text: `${sessionName} asked for a person.`, email: false },
        effects: [{ kind: 'notification', id: leadId }],
      })),
  );
}

function questions({ conversations, now }: Past, labelId: string): PastCause[] {
  return conversations.flatMap(({ session: { sessionId, recordId }, messages }) =>
    messages
      .filter(({ role, at }) => role === 'user' && at > now - daysBack * day)
      .map(({ id, at }) => ({
        type: 'message',
        id,
        at,
        sessionId,
        recordId,
        input: { addLabelIds: [labelId] },
        effects: [{ kind: 'session', id: sessionId }],
      })),
  );
}

/** Of conversations that the AI has handed over: those that have waited since yesterday are late. */
export async function makeServiceLevel(
  tx: Tx,
  accountId: string,
  { workspace, conversations, begin, now }: Past,
): Promise<void> {
  if ((await listPolicies(tx, accountId)).length >= limits.slaPolicies) return;
  const config = await configOf(tx, accountId, workspace);
  const channelIds = workspace.channels.map(({ id }) => id);
  await createPolicy(tx, { accountConfig: { fresh: async () => config } }, demoActor(accountId), begin, {
    name: 'A person within 12 hours',
    filter: {
      and: [
        { field: 'session.channelId', op: 'anyOf', value: channelIds },
        { field: 'session.aiPaused', op: 'is', value: true },
      ],
    },
    firstResponseMinutes: 720,
    nextResponseMinutes: 720,
    warnBeforeMinutes: 60,
  });
  const recent = conversations.filter(({ session }) => session.createdAt > now - daysBack * day);
  const wanted = recent.map(({ session: { sessionId, createdAt } }) => ({ sessionId, since: createdAt }));
  const deps = { definitions: { fresh: async () => workspace.definitions } };
  await settleServiceLevels(tx, deps, accountId, wanted, now);
}
