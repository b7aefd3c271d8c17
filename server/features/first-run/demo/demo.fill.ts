/**
 * Creates the demo in one transaction, so that it is complete or absent. Boards and records are created by the same
 * rules as a client's requests; past conversations are written as rows. Nothing is sent: no webhook, no notification,
 * and no agent is asked for a reply.
 */
import type { DemoFilled } from '../../../../contract/first-run.ts';
import type { Tx } from '../../../platform/db/db.ts';
import { noteRefilledMessages, takeBackLiveChanges } from '../../../platform/events/live-changes.ts';
import { startNoRules } from '../../../platform/events/no-rules.ts';
import { freeze, takeBackDeliveries } from '../../../platform/events/outbox.ts';
import { conflict } from '../../../platform/http/errors.ts';
import { newId } from '../../../platform/ids.ts';
import type { Secrets } from '../../../platform/secrets/secrets.ts';
import { demoActor, lockAccountConfig } from '../../accounts/accounts.ts';
import { contactKey } from '../../blocked-contacts/blocked-contacts.ts';
import { addContactsOfAccount } from '../../contacts/contacts.ts';
import { insertToolCall } from '../../pending-replies/pending-replies.ts';
import { newLifecycle, sessionUpdated } from '../../sessions/sessions.ts';
import { busyMoment, day } from './demo.calendar.ts';
import { agentVersions, blends, boards, type Customer, cancelOrder } from './demo.content.ts';
import { play, type Stage } from './demo.conversations.ts';
import { noteUseOfKnowledge } from './demo.knowledge.ts';
import { type SettledConversation, settle } from './demo.lifecycle.ts';
import { insertConversations, insertPastEvents } from './demo.past.ts';
import { type Chance, createChance } from './demo.random.ts';
import { insertRatings } from './demo.ratings.ts';
import { chooseLabels, type Plan, type PlannedRecord, planRecord, runInOrder } from './demo.records.ts';
import { labelDeliveries, makeRules, makeServiceLevel } from './demo.rules.ts';
import { approvalScript, heldScript, type Script, scripts, type Words } from './demo.scripts.ts';
import { insertDemo, selectDemoObjects } from './demo.sql.ts';
import { makeWorkspace, type Workspace } from './demo.workspace.ts';

const daysBack = 90;
const seed = 7_231;
const conversationCount = 329;
/** Of the last hours: customers waiting for a person, and one held reply. */
const waitingCount = 11;

export interface FillInput {
  now: number;
  secrets: Secrets;
  /** Of the demo's users. */
  passwordHash: string;
}

export async function fillDemo(tx: Tx, accountId: string, input: FillInput): Promise<DemoFilled> {
  const { now, secrets, passwordHash } = input;
  await lockAccountConfig(tx, accountId);
  if ((await selectDemoObjects(tx, accountId)).all.length > 0) {
    throw conflict('the demo already exists; remove it first');
  }
  const chance = createChance(seed);
  const begin = now - daysBack * day;
  const times = { at: begin, now };
  const workspace = await makeWorkspace(tx, demoActor(accountId), times, secrets, passwordHash);
  await insertDemo(
    tx,
    accountId,
    now,
    workspace.channels.map((channel) => channel.id),
  );

  await startNoRules(tx);
  const stage: Filling = {
    chance,
    // Of its own, so that the rest of the demo stays as it was.
    lifecycleChance: createChance(seed + 1),
    labelChance: createChance(seed + 2),
    workspace,
    begin,
    now,
    phones: new Set(),
  };
  const alone = boards.flatMap((board, index) =>
    Array.from({ length: board.records }, () =>
      planRecord(stage, index, busyMoment(chance, begin + day, now)),
    ),
  );
  deleteOne(alone, now);
  const talks = planTalks(stage);
  // Of its own, as above.
  const last = { ...stage, chance: createChance(seed + 4) };
  const approval = planTalk(last, approvalScript, now - 23 * 60_000, 'approval');
  const { records, changes } = await runInOrder(tx, accountId, workspace.definitions, [
    ...alone,
    ...talks.map((talk) => talk.record),
    approval.record,
  ]);
  const waiting = talkThrough(last, approval);
  const conversations = [...talks.map((talk) => talkThrough(stage, talk)), waiting];
  labelDeliveries(conversations, workspace.labels, now);
  await insertConversations(tx, accountId, conversations, (agentId, at) => versionAt(stage, agentId, at));
  await askForApproval(tx, accountId, workspace.toolId, waiting);
  await insertPastEvents(
    tx,
    conversations.flatMap((one) => pastEvents(accountId, one)),
  );
  await insertRatings(tx, accountId, conversations, { chance: createChance(seed + 3), now });
  await noteUseOfKnowledge(tx, accountId, conversations, now);
  await addContactsOfAccount(tx, accountId);
  const rules = { workspace, conversations, secrets, begin, now };
  await makeRules(tx, accountId, rules);
  await makeServiceLevel(tx, accountId, rules);
  // The past causes nothing now: no delivery to real webhooks, and no live change but that of the boards.
  await takeBackDeliveries(tx, accountId);
  await takeBackLiveChanges(tx, accountId, { except: 'definitions.updated' });
  await noteRefilledMessages(tx, accountId);
  return {
    boards: boards.length,
    users: workspace.people.length,
    records,
    changes,
    conversations: conversations.length,
    messages: conversations.reduce((sum, { messages }) => sum + messages.length, 0),
  };
}

/** The history always has a deletion, for readers of the events. */
function deleteOne(records: readonly PlannedRecord[], now: number): void {
  if (records.some(({ deletedAt }) => deletedAt !== null)) return;
  const settled = records.find(({ createdAt, moves }) => (moves.at(-1)?.at ?? createdAt) < now - day);
  if (settled) settled.deletedAt = now - 1;
}

interface Filling extends Plan {
  lifecycleChance: Chance;
  begin: number;
}

interface Talk {
  script: Script;
  at: number;
  waits: Stage['waits'];
  record: PlannedRecord;
}

function planTalk(filling: Filling, script: Script, at: number, waits: Stage['waits']): Talk {
  const index = boards.findIndex(({ topic }) => topic === script.topic);
  return { script, at, waits, record: planRecord(filling, index, at, script.language) };
}

function planTalks(filling: Filling): Talk[] {
  const { chance, begin, now } = filling;
  const handOvers = scripts.filter(({ turns }) => turns.some(({ who }) => who === 'h'));
  const plan = (script: Script, at: number, waits: Stage['waits']) => planTalk(filling, script, at, waits);
  const past = Array.from({ length: conversationCount - waitingCount }, () =>
    plan(chance.pick(scripts), busyMoment(chance, begin + day, now), null),
  );
  const waiting = Array.from({ length: waitingCount }, (_, index) => {
    // The newest of them came minutes ago, the oldest yesterday.
    const at = now - Math.round((index + 1) ** 2 * 9 * 60_000 * (0.8 + chance.next() * 0.4)) - 240_000;
    if (index === 3) return plan(heldScript, at, 'release');
    // Each a different one: a list of people who all say the same would look fake.
    const [script] = handOvers.splice(chance.whole(0, handOvers.length - 1), 1);
    return plan(script!, at, 'person');
  });
  return [...past, ...waiting];
}

function talkThrough(filling: Filling, { script, at, waits, record }: Talk): SettledConversation {
  const { chance, workspace, now } = filling;
  const { customer, operator } = record;
  const channel = pickChannel(chance, workspace.channels);
  const sessionId = newId(at);
  const externalUserId = channel.type === 'web' ? null : customer.phone.replace(/[^+\d]/g, '');
  const played = play({
    chance,
    script,
    words: wordsFor(chance, script, customer, operator.name, at),
    operator: { id: operator.id, name: operator.name },
    now,
    waits,
    citationOf: (article) => workspace.knowledge.citationOf(article, script.language),
    session: {
      sessionId,
      sessionName: customer.person,
      channelId: channel.id,
      externalUserId,
      contactKey: contactKey(externalUserId ?? sessionId),
      contactId: null,
      agentId: workspace.agentIds[script.topic],
      kanbanId: record.kanbanId,
      recordId: record.recordId,
      ...newLifecycle,
      windowClosesAt: null,
      cancelsOnReply: false,
      waitingSince: null,
      labelIds: chooseLabels(filling.labelChance, workspace, script.topic),
      aiPaused: false,
      needsAttention: false,
      unread: 0,
      lastMessageAt: at,
      createdAt: at,
      updatedAt: at,
      messageCount: 0,
      eventSequence: 0,
    },
  });
  const settling = {
    chance: filling.lifecycleChance,
    now,
    operator: { id: operator.id, name: operator.name },
  };
  return settle(played, settling);
}

/** The version of an agent that was published at a time. */
function versionAt({ begin, workspace }: Filling, agentId: string, at: number): number {
  const published = agentVersions.filter(
    ({ topic, afterDays }) => workspace.agentIds[topic] === agentId && begin + afterDays * day <= at,
  );
  return 1 + published.length;
}

async function askForApproval(
  tx: Tx,
  accountId: string,
  toolId: string | null,
  { session, messages }: SettledConversation,
): Promise<void> {
  const { sessionId, agentId, lastMessageAt } = session;
  const [asked] = messages;
  const [order] = /A-\d+/.exec(asked!.content) ?? [];
  if (toolId === null || !order) return;
  await insertToolCall(tx, accountId, {
    id: newId(lastMessageAt),
    sessionId,
    messageId: asked!.id,
    agentId,
    toolId,
    name: cancelOrder.name,
    arguments: { order },
    state: 'waiting',
    requestedAt: lastMessageAt,
  });
}

function pickChannel(chance: Chance, channels: Workspace['channels']): Workspace['channels'][number] {
  return chance.pick(channels.flatMap((channel) => Array.from({ length: channel.share }, () => channel)));
}

const currencies = { en: '€', pt: 'R$ ', es: '€' };

function wordsFor(chance: Chance, script: Script, customer: Customer, operator: string, at: number): Words {
  const soon = new Date(at + chance.whole(1, 4) * day);
  return {
    name: customer.person.split(' ')[0]!,
    company: customer.company,
    operator: operator.split(' ')[0]!,
    blend: chance.pick(blends),
    kilos: String(chance.whole(2, 12) * 5),
    order: `A-${chance.whole(10_000, 99_999)}`,
    price: `${currencies[script.language]}${chance.whole(17, 29)}`,
    day: soon.toLocaleDateString(script.language, { weekday: 'long' }),
  };
}

/** In the order of their numbers, which their ids must have too. */
function pastEvents(accountId: string, { session, pauses, changes }: SettledConversation) {
  const { sessionId, channelId, kanbanId } = session;
  const events = [
    ...pauses.map(({ at, aiPaused, changedBy, sequence }) => ({
      sequence,
      freeze: () =>
        freeze({
          event: 'ai_pause',
          accountId,
          subjectId: sessionId,
          sequence,
          kanbanId,
          fieldId: null,
          data: { sessionId, channelId, aiPaused, changedBy },
          timestamp: at,
        }),
    })),
    ...changes.map(({ state, change }) => ({
      sequence: change.sequence,
      freeze: () => sessionUpdated(accountId, state, change),
    })),
  ];
  return events.sort((a, b) => a.sequence - b.sequence).map((event) => event.freeze());
}
