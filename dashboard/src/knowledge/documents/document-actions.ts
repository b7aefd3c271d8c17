/** Changes of a document that need no form. */
import type { KnowledgeDocument, KnowledgeDocumentUpdate } from '../../../../contract/knowledge.ts';
import { api } from '../../data/api.ts';
import { refresh } from '../../data/refresh.ts';
import { t } from '../../texts/texts.ts';
import { toast } from '../../ui/overlays/toast.tsx';
import { knowledgeKeys } from '../knowledge-data.ts';

const pathOf = (id: string) => `/knowledge/documents/${encodeURIComponent(id)}`;

/** Everything that shows it: lists, counts of its source, the document itself. */
export const readAgain = (id: string) =>
  Promise.all([
    refresh(knowledgeKeys.documents),
    refresh(knowledgeKeys.sources),
    refresh(knowledgeKeys.document(id)),
  ]);

export async function changeDocument(id: string, body: KnowledgeDocumentUpdate): Promise<void> {
  try {
    await api('PATCH', pathOf(id), { body });
    await readAgain(id);
  } catch (error) {
    toast.failed(t('knowledge.document.changeFailed'), error, () => void changeDocument(id, body));
  }
}

export async function deleteDocument({ id, title }: KnowledgeDocument): Promise<void> {
  await api('DELETE', pathOf(id));
  await Promise.all([refresh(knowledgeKeys.documents), refresh(knowledgeKeys.sources)]);
  toast.done(t('knowledge.document.deleted', { title }));
}
