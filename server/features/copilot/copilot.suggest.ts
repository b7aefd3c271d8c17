/** The next reply to the customer: made like one of the agent, for a person to read, change and send. */
import { type Actor, may, personOf } from '../accounts/accounts.ts';
import {
  type Conversation,
  createReadTools,
  generateReply,
  quotedAnswer,
  readingTools,
} from '../ai-replies/ai-replies.ts';
import { selectReplies } from '../dashboard-api/dashboard-api.ts';
import { citationsShown, withCurrentAudience } from '../knowledge/knowledge.ts';
import {
  type CopilotContext,
  type CopilotPlace,
  type CopilotRun,
  type CopilotText,
  nothingFound,
  openConversation,
  requireNoLeak,
  timeoutMs,
} from './copilot.run.ts';

export async function suggest(
  context: CopilotContext,
  place: CopilotPlace,
  { signal, onText }: CopilotRun,
): Promise<CopilotText> {
  const { actor, agent } = place;
  const { conversation, texts, mayStream } = await openConversation(context, place);
  const newest = conversation.messages.findLast(({ role }) => role === 'user');
  if (!newest) throw nothingFound('the customer has written nothing');
  const made =
    agent.provider === 'offline'
      ? await quoted(context, actor, conversation)
      : await replyOf(context, place, conversation, signal, mayStream ? onText : () => {});
  await requireNoLeak(made.text, conversation, texts);
  // The model may have taken a while.
  const [{ citations } = made] = await withCurrentAudience(context.db, [made], () => actor.accountId);
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
  signal: AbortSignal,
  onText: (soFar: string) => void,
) {
  const granted = conversation.agent.tools.filter((tool) => readingTools.includes(tool));
  const messageId = conversation.messages.at(-1)!.id;
  const tools = await createReadTools(context, actor.accountId, { session, messageId, agent }, signal);
  const settings = { ...conversation.agent, tools: granted };
  const { fetch } = context.safeFetch;
  return generateReply({ ...conversation, agent: settings }, tools, { fetch, signal, timeoutMs, onText });
}

async function quoted({ db }: CopilotContext, actor: Actor, conversation: Conversation) {
  const saved = await selectReplies(db, actor.accountId, personOf(actor)?.id ?? '');
  const entries = saved.map(({ name, text }) => ({ title: name, text }));
  const found = quotedAnswer(conversation, entries);
  if (!found) throw nothingFound('there is nothing that answers the conversation');
  return found;
}
