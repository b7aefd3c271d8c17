import type { Static } from 'typebox';
import { limits } from './limits.ts';
import { Type } from './shapes/type.ts';
import { nullable } from './shapes/values.ts';

/** What a document is used for. */
export const KnowledgeUsage = Type.Object({
  retrieved: Type.Integer({ description: 'How many replies of agents were given a passage of it.' }),
  cited: Type.Integer({ description: 'How many replies cite it.' }),
  helpful: Type.Integer({ description: 'How many readers of the help center found it helpful.' }),
  notHelpful: Type.Integer(),
  conversations: Type.Array(
    Type.Object({
      sessionId: Type.String(),
      sessionName: nullable(Type.String()),
      cited: Type.Boolean({ description: 'Whether a reply in it cites the document.' }),
      lastAt: Type.Number(),
    }),
    { description: `The newest ones, at most ${limits.knowledgeUsageConversations}.` },
  ),
});
export type KnowledgeUsage = Static<typeof KnowledgeUsage>;
