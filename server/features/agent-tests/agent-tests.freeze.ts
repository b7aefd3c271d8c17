/**
 * Takes a test case from a real conversation. What identifies the customer becomes a placeholder, the same one wherever it
 * is written. Names that only stand in texts are not known, and remain.
 */
import type { AgentTestCaseCreate } from '../../../contract/agent-tests.ts';
import type { Db, Tx } from '../../platform/db/db.ts';
import { badRequest, conflict, notFound } from '../../platform/http/errors.ts';
import { isId } from '../../platform/ids.ts';
import { isFunctionWord, plain } from '../../platform/language.ts';
import { type Actor, systemActor } from '../accounts/accounts.ts';
import { createMask, describeRecord, readReplyInput, type TrialInput } from '../ai-replies/ai-replies.ts';
import { type AccountConfigCache, type AgentDefinition, requireAgent } from '../channels/channels.ts';
import type { DefinitionsCache } from '../kanbans/kanbans.ts';
import { requireOpenSession, requireSession } from '../sessions/sessions.ts';
import { findPlaceOfMessage, type PlaceOfMessage, type TestInput } from './agent-tests.sql.ts';
import type { CasePlace } from './agent-tests.ts';

export interface TakenInput {
  input: TestInput;
  sessionId: string;
  messageId: string;
  /** Of texts that it may have come from. */
  count: number;
}

export interface FreezeContext {
  db: Db;
  definitions: DefinitionsCache;
  accountConfig: AccountConfigCache;
}

/** Null: the request writes the conversation itself. */
export async function takeFromConversation(
  context: FreezeContext,
  actor: Actor,
  { agentId, visible }: CasePlace,
  { sessionId, messageId, messages }: AgentTestCaseCreate,
): Promise<TakenInput | null> {
  if (sessionId === undefined && messageId === undefined) return null;
  if (sessionId === undefined || messageId === undefined || messages) {
    throw badRequest('either messages, or sessionId and messageId, are required');
  }
  const { accountId } = actor;
  const { db, accountConfig } = context;
  const { directory } = await accountConfig.fresh(accountId);
  const agent = requireAgent(directory, agentId);
  await requireSession(db, actor, visible, sessionId);
  const place = isId(messageId) ? await findPlaceOfMessage(db, accountId, sessionId, messageId) : null;
  if (!place) throw notFound('message');
  if (!place.isCustomers) throw badRequest('messageId must be of a message of the customer');
  const { said, card, toolResults } = await readAsked(context, agent, { accountId, sessionId, place });
  const input: TestInput = {
    messages: said.messages.map(({ role, content }) => ({ role, content })),
    notes: said.notes,
    customer: { id: said.customer.externalUserId, name: said.customer.sessionName },
    card: card === null ? null : JSON.parse(card),
    toolResults,
  };
  return { input: withPlaceholders(input, place), sessionId, messageId, count: place.count };
}

/** What was removed while it was read must not live on in it. */
export async function requireUnchanged(
  tx: Tx,
  actor: Actor,
  { visible }: CasePlace,
  { sessionId, messageId, count }: TakenInput,
): Promise<void> {
  await requireOpenSession(tx, actor, visible, sessionId);
  const place = await findPlaceOfMessage(tx, actor.accountId, sessionId, messageId);
  if (!place || place.count < count) throw conflict('the conversation has changed, try again');
}

/** What the agent is asked with this message: the conversation up to it, the card as it is now, what tools returned then. */
async function readAsked(
  context: FreezeContext,
  agent: AgentDefinition,
  { accountId, sessionId, place }: { accountId: string; sessionId: string; place: PlaceOfMessage },
) {
  const { recordId, position, toolCalls } = place;
  const { definitions } = await context.accountConfig.fresh(accountId);
  const [said, card] = await Promise.all([
    readReplyInput(context, { accountId, sessionId, agent, position }),
    recordId === null ? null : describeRecord(context.db, systemActor(accountId), definitions, recordId),
  ]);
  const toolResults = toolCalls.flatMap(({ name, arguments: given, result, error }) =>
    error === null && result !== null && name !== 'find_record' ? [{ name, arguments: given, result }] : [],
  );
  return { said, card, toolResults };
}

/** The real conversation again, as it was up to the message. Null: the message is gone. */
export async function replayInput(
  context: FreezeContext,
  accountId: string,
  agent: AgentDefinition,
  { sessionId, messageId }: { sessionId: string; messageId: string },
): Promise<TrialInput | null> {
  const place = await findPlaceOfMessage(context.db, accountId, sessionId, messageId);
  if (!place) return null;
  const { said, card, toolResults } = await readAsked(context, agent, { accountId, sessionId, place });
  const found = card === null ? [] : [{ name: 'find_record', arguments: {}, result: card }];
  return { ...said, toolResults: [...found, ...toolResults] };
}

/** Shorter ones would be found in other words' places. */
const shortestWord = 3;

function withPlaceholders(
  input: TestInput,
  of: Pick<PlaceOfMessage, 'sessionName' | 'contactName' | 'externalUserId'>,
): TestInput {
  const mask = createMask(['email', 'phone', 'card']);
  const title = input.card?.title;
  const names = [of.contactName, of.sessionName, typeof title === 'string' ? title : null]
    .map((name) => name?.trim() ?? '')
    .filter((name) => [...name].length >= shortestWord);
  const placeholders = new Map<string, string>();
  for (const name of names) {
    const known = placeholders.get(name.toLowerCase());
    const placeholder = known ?? `[name-${new Set(placeholders.values()).size + 1}]`;
    const words = name.split(/[\s,;()]+/).filter((word) => [...word].length >= shortestWord);
    // A title of several words, some of which are no names, is replaced as a whole only.
    const isName = name !== title || words.every((word) => /^\p{Lu}[\p{L}'’.-]*$/u.test(word));
    for (const part of [name, ...(isName ? words : [])]) {
      const isWord = part === name || !isFunctionWord(plain(part));
      if (isWord && !placeholders.has(part.toLowerCase())) placeholders.set(part.toLowerCase(), placeholder);
    }
  }
  const id = of.externalUserId?.trim();
  if (id && [...id].length >= shortestWord && mask.hide(id) === id)
    placeholders.set(id.toLowerCase(), '[id-1]');
  const parts = [...placeholders.keys()].sort((one, other) => other.length - one.length).map(escaped);
  const named =
    parts.length > 0
      ? new RegExp(`(?<![\\p{L}\\p{N}])(?:${parts.join('|')})(?![\\p{L}\\p{N}])`, 'giu')
      : null;
  const hide = (text: string): string => {
    const hidden = mask.hide(text);
    return named ? hidden.replace(named, (part) => placeholders.get(part.toLowerCase()) ?? part) : hidden;
  };
  const { messages, notes, customer, card, toolResults } = input;
  return {
    messages: messages.map(({ role, content }) => ({ role, content: hide(content) })),
    notes: notes.map(({ operatorName, content }) => ({ operatorName, content: hide(content) })),
    customer: { id: customer.id && hide(customer.id), name: customer.name && hide(customer.name) },
    card: card && (inTexts(card, hide) as TestInput['card']),
    toolResults: toolResults.map((one) => ({
      name: one.name,
      arguments: inTexts(one.arguments, hide),
      result: hide(one.result),
    })),
  };
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

function inTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one) => inTexts(one, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, inTexts(one, change)]));
}
