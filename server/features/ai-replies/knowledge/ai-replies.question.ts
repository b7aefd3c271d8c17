/** Knowledge about one question, for whoever asked it. */
import type { KnowledgeSearch, RetrievedPassage, StoredCitation } from '../../knowledge/knowledge.ts';
import type { AgentSettings } from '../ai-replies.conversation.ts';
import { withoutRank } from './ai-replies.best-passage.ts';
import { relevantKnowledge } from './ai-replies.passages.ts';
import { type RetrievingAgent, retrievePassages } from './ai-replies.retrieval.ts';

/** Of the agent's own knowledge. */
const maxTokens = 4_000;

export interface FoundKnowledge {
  passages: RetrievedPassage[];
  /** The agent's own, then the passages. */
  numbered: StoredCitation[];
}

export async function findKnowledge(
  search: KnowledgeSearch,
  accountId: string,
  agent: Pick<AgentSettings, 'id' | 'knowledge'> & RetrievingAgent,
  question: string,
): Promise<FoundKnowledge> {
  const asked = { id: 'question', role: 'user' as const, content: question, timestamp: 0 };
  const passages = await retrievePassages(search, accountId, agent, [asked]);
  const own = relevantKnowledge(agent, question, maxTokens);
  return { passages, numbered: [...own.passages, ...passages.map(withoutRank)] };
}
