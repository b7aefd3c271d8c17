/** The next reply to the customer: made like one of the agent, for a person to read, change and send. */

import type { Citation } from '../../../contract/knowledge.ts';
import type { Session } from '../../../contract/messaging/sessions.ts';
import type { Clock } from '../../platform/db/clock.ts';
import type { Db } from '../../platform/db/db.ts';
import { AppError } from '../../platform/http/errors.ts';
import type { RateLimits } from '../../platform/limits/rate-limit.ts';
import type { SafeFetch } from '../../platform/outbound/safe-fetch.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { type Actor, may, personOf } from '../accounts/accounts.ts';
import {
  type Conversation,
  createReadTools,
  generateReply,
  leaksOf,
  quotedAnswer,
  readCardTexts,
  readConversation,
  readingTools,
} from '../ai-replies/ai-replies.ts';
import type { AccountConfigCache, AgentDefinition } from '../channels/channels.ts';
import { selectReplies } from '../dashboard-api/dashboard-api.ts';
import type { DefinitionsCache } from '../kanbans/kanbans.ts';
import { citationsShown, type KnowledgeSearch, withCurrentAudience } from '../knowledge/knowledge.ts';

export interface CopilotContext {
  db: Db;
  clock: Clock;
  secrets: Secrets;
  safeFetch: SafeFetch;
  rateLimits: RateLimits;
  definitions: DefinitionsCache;
  accountConfig: AccountConfigCache;
  knowledgeSearch: KnowledgeSearch;
}

/** Whom it helps, where. */
export interface CopilotPlace {
  actor: Actor;
  session: Session;
  agent: AgentDefinition;
}

export interface CopilotRun {
  signal: AbortSignal;
  /** Gets the text so far, as often as there is more of it. */
  onText(soFar: string): void;
}

export interface CopilotText {
  text: string;
  citations: Citation[];
  basedOnMessageId: string | null;
}

/** Somebody waits. */
const timeoutMs = 45_000;

export async function suggest(
  context: CopilotContext,
  { actor, session, agent }: CopilotPlace,
  { signal, onText }: CopilotRun,
): Promise<CopilotText> {
  const { db, definitions } = context;
  const { accountId } = actor;
  const { sessionId } = session;
  const conversation = await readConversation(context, { accountId, sessionId, agent, position: null });
  const newest = conversation.messages.findLast(({ role }) => role === 'user');
  if (!newest) throw nothingFound();
  const texts = await readCardTexts(db, await definitions.known(accountId), accountId, sessionId);
  // What must not be sent must not be seen for a moment either: then the text comes whole, after the check.
  const isOpen = conversation.notes.length === 0 && texts.hidden.length === 0;
  const made =
    agent.provider === 'offline'
      ? await quoted(context, actor, conversation)
      : await replyOf(context, { actor, session, agent }, conversation, {
          signal,
          onText: isOpen ? onText : () => {},
        });
  if (leaksOf(made.text, conversation, texts).length > 0) {
    throw new AppError(409, 'SUGGESTION_HELD', 'the suggestion repeats a note or a hidden field');
  }
  // The model may have taken a while.
  const [{ citations } = made] = await withCurrentAudience(db, [made], () => accountId);
  return {
    text: made.text,
    citations: citationsShown(citations, may(actor, 'knowledge.view')),
    basedOnMessageId: newest.id,
  };
}

async function replyOf(
  context: CopilotContext,
  { actor, session, agent }: CopilotPlace,
  conversation: Conversation,
  { signal, onText }: CopilotRun,
) {
  const granted = conversation.agent.tools.filter((tool) => readingTools.includes(tool));
  const messageId = conversation.messages.at(-1)!.id;
  const tools = await createReadTools(context, actor.accountId, { session, messageId, agent }, signal);
  return generateReply({ ...conversation, agent: { ...conversation.agent, tools: granted } }, tools, {
    fetch: context.safeFetch.fetch,
    signal,
    timeoutMs,
    onText,
  });
}

async function quoted({ db }: CopilotContext, actor: Actor, conversation: Conversation) {
  const saved = await selectReplies(db, actor.accountId, personOf(actor)?.id ?? '');
  const entries = saved.map(({ name, text }) => ({ title: name, text }));
  const found = quotedAnswer(conversation, entries);
  if (!found) throw nothingFound();
  return found;
}

const nothingFound = () =>
  new AppError(409, 'NOTHING_FOUND', 'there is nothing that answers the conversation');
