/** Finds what the account's knowledge says about a conversation, in the sources of its agent. */
import type { MaskedKind } from '../../../../contract/channels.ts';
import { detectLanguage, meaningfulWords } from '../../../platform/language.ts';
import type { KnowledgeSearch, RetrievedPassage } from '../../knowledge/knowledge.ts';
import type { ConversationMessage } from '../ai-replies.conversation.ts';
import { withoutMasked } from '../ai-replies.mask.ts';
import { edgesOf, questionIn } from '../model/ai-replies.offline.phrases.ts';

const maxPassages = 8;
/** A customer may ask in several messages. The search looks at the first words, so the newest comes first. */
const messagesAsked = 3;

export interface RetrievingAgent {
  provider: string;
  knowledgeSourceIds: readonly string[];
  mayUseInternal: boolean;
  maskForModel: readonly MaskedKind[];
}

/** The best first. Without sources nothing is asked. */
export async function retrievePassages(
  search: KnowledgeSearch,
  accountId: string,
  { provider, knowledgeSourceIds, mayUseInternal, maskForModel }: RetrievingAgent,
  messages: readonly ConversationMessage[],
): Promise<RetrievedPassage[]> {
  if (knowledgeSourceIds.length === 0) return [];
  const asked = messages
    .filter(({ role }) => role === 'user')
    .map(({ content }) => content)
    .reverse();
  // The offline agent answers the last message alone.
  const question =
    provider === 'offline'
      ? questionIn(asked[0] ?? '')
      : asked.slice(0, messagesAsked).map(edgesOf).join('\n');
  // In a small account, "the" would lead to every passage.
  const q = meaningfulWords(withoutMasked(question, maskForModel)).join(' ');
  if (q === '') return [];
  return search.retrieve(accountId, {
    q,
    sourceIds: knowledgeSourceIds,
    mayUseInternal,
    language: detectLanguage(asked.slice(0, 10)),
    limit: maxPassages,
  });
}
