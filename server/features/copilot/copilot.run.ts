/** What the tasks of the copilot have in common. */
import type { CopilotAnswer } from '../../../contract/copilot.ts';
import type { Session } from '../../../contract/messaging/sessions.ts';
import type { Clock } from '../../platform/db/clock.ts';
import type { Db } from '../../platform/db/db.ts';
import { AppError } from '../../platform/http/errors.ts';
import type { PageTokens } from '../../platform/http/page-token.ts';
import type { RateLimits } from '../../platform/limits/rate-limit.ts';
import type { SafeFetch } from '../../platform/outbound/safe-fetch.ts';
import { matchesAny } from '../../platform/patterns.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import type { Actor } from '../accounts/accounts.ts';
import {
  type CardTexts,
  type Conversation,
  leaksOf,
  readCardTexts,
  readConversation,
} from '../ai-replies/ai-replies.ts';
import type { AccountConfigCache, AgentDefinition } from '../channels/channels.ts';
import type { DefinitionsCache } from '../kanbans/kanbans.ts';
import type { KnowledgeSearch } from '../knowledge/knowledge.ts';
import type { SessionFilters } from '../sessions/sessions.ts';

export interface CopilotContext {
  db: Db;
  clock: Clock;
  secrets: Secrets;
  safeFetch: SafeFetch;
  rateLimits: RateLimits;
  pageTokens: PageTokens;
  sessionFilters: SessionFilters;
  definitions: DefinitionsCache;
  accountConfig: AccountConfigCache;
  knowledgeSearch: KnowledgeSearch;
}

/** Whom it helps, where. */
export interface CopilotPlace {
  actor: Actor;
  /** The boards that the actor may see; null: all of them. */
  visible: string[] | null;
  session: Session;
  agent: AgentDefinition;
}

export interface CopilotRun {
  signal: AbortSignal;
  /** Gets the text so far, as often as there is more of it. */
  onText(soFar: string): void;
  /** Of several messages that are translated. */
  onTranslated(messageId: string, text: string): void;
}

export type CopilotText = Omit<CopilotAnswer, 'suggestionId'>;

export const plainText = (text: string): CopilotText => ({ text, citations: [], basedOnMessageId: null });

/** Somebody waits. */
export const timeoutMs = 45_000;

/** The conversation as an agent sees it, and what a reply in it must not repeat. */
export async function openConversation(
  context: CopilotContext,
  { actor: { accountId }, session: { sessionId }, agent }: CopilotPlace,
) {
  const conversation = await readConversation(context, { accountId, sessionId, agent, position: null });
  const definitions = await context.definitions.known(accountId);
  const texts = await readCardTexts(context.db, definitions, accountId, sessionId);
  return {
    conversation,
    texts,
    // What must not be sent must not be seen for a moment either: then a text comes whole, after the check.
    mayStream:
      conversation.notes.length === 0 && texts.hidden.length === 0 && agent.blockedPatterns.length === 0,
  };
}

/** For tasks that need no knowledge. */
export const withoutSources = (place: CopilotPlace): CopilotPlace => ({
  ...place,
  agent: { ...place.agent, knowledge: [], knowledgeSourceIds: [] },
});

/** The rules by which a reply of the agent would be held. */
export async function requireNoLeak(
  text: string,
  conversation: Conversation,
  texts: CardTexts,
): Promise<void> {
  const { blockedPatterns = [] } = conversation.agent;
  if (leaksOf(text, conversation, texts).length > 0 || (await matchesAny(blockedPatterns, text))) {
    const message = 'the suggestion repeats a note or a hidden field, or says what the agent must never say';
    throw new AppError(409, 'SUGGESTION_HELD', message);
  }
}

export const nothingFound = (message: string) => new AppError(409, 'NOTHING_FOUND', message);

/** As data in a prompt: the text cannot end its block. */
export const asBlock = (tag: string, text: string): string =>
  `<${tag}>\n${text.replaceAll(new RegExp(`<(?=\\s*/?\\s*${tag})`, 'gi'), '(')}\n</${tag}>`;
