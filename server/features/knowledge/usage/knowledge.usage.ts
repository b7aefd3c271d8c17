/** What a document is used for: by agents, and by readers of the help center. */
import type { KnowledgeUsage } from '../../../../contract/knowledge-usage.ts';
import { limits } from '../../../../contract/limits.ts';
import type { Reader } from '../../../platform/db/db.ts';
import { notFound } from '../../../platform/http/errors.ts';
import { isId } from '../../../platform/ids.ts';
import { findDocument } from '../documents/knowledge.documents.sql.ts';
import { selectUsage } from './knowledge.usage.sql.ts';

export async function readUsage(
  db: Reader,
  accountId: string,
  visible: string[] | null,
  id: string,
): Promise<KnowledgeUsage> {
  if (!isId(id) || !(await findDocument(db, accountId, id))) throw notFound('knowledge document');
  return selectUsage(db, accountId, visible, id, limits.knowledgeUsageConversations);
}
