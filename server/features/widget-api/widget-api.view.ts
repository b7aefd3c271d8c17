/** What a visitor sees: only the parts of messages and of the conversation that are meant for the customer. */
import type { Message, MessageAttachment } from '../../../contract/messaging/messages.ts';
import type { Session } from '../../../contract/messaging/sessions.ts';
import type { VisitorMessage, VisitorState } from '../../../contract/widget/widget-protocol.ts';
import { publicCitations, type StoredCitation } from '../knowledge/knowledge.ts';

/** By agent id. */
export type AgentNames = ReadonlyMap<string, string>;

export function toVisitorMessage(
  message: Message & { position: number; citations?: StoredCitation[] },
  agents: AgentNames,
): VisitorMessage {
  const { id, position, role, content, timestamp, status, reactions, providerMsgId } = message;
  return {
    id,
    position,
    // The customer knows no rules: the name of one is for the team.
    from: role === 'user' ? 'customer' : role === 'operator' && !message.author ? 'human' : 'assistant',
    name:
      role === 'operator'
        ? (message.operator?.name ?? null)
        : role === 'assistant'
          ? (agents.get(message.agentId ?? '') ?? null)
          : null,
    text: content,
    at: timestamp,
    status,
    reactions,
    attachments: (message.attachments as MessageAttachment[])
      .filter(({ removedAt }) => removedAt === undefined)
      .map(({ fileKey, fileName, contentType, size }) => ({ fileKey, fileName, contentType, size })),
    citations: pagesOf(message.citations ?? []),
    clientId: role === 'user' ? providerMsgId : null,
  };
}

/** Each page once, although several parts of it may be cited. */
function pagesOf(citations: readonly StoredCitation[]): VisitorMessage['citations'] {
  const pages = publicCitations(citations).flatMap(({ title, url }) =>
    url === null ? [] : [{ title, url }],
  );
  return [...new Map(pages.map((page) => [page.url, page])).values()];
}

export function toVisitorState(
  session: Pick<
    Session,
    'aiPaused' | 'needsAttention' | 'agentId' | 'unread' | 'status' | 'statusChangedAt'
  > | null,
  agents: AgentNames,
  defaultAgentId: string,
): VisitorState {
  const name = agents.get(session?.agentId ?? defaultAgentId) ?? null;
  if (!session) return { answering: 'assistant', name, unseen: 0, resolvedAt: null };
  const { aiPaused, needsAttention, unread } = session;
  return {
    answering: !aiPaused ? 'assistant' : needsAttention ? 'waiting' : 'human',
    name: aiPaused ? null : name,
    unseen: unread,
    resolvedAt: session.status === 'resolved' ? session.statusChangedAt : null,
  };
}
