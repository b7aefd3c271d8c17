import type { KnowledgeSource } from '../../../../contract/knowledge.ts';
import { t, tn } from '../../texts/texts.ts';
import { Badge } from '../../ui/display/badge.tsx';

/** A source that is idle needs no word. */
export const SourceBadge = ({ state }: Pick<KnowledgeSource, 'state'>) =>
  state === 'idle' ? null : (
    <Badge hue={state === 'problem' ? 'red' : 'blue'} className="shrink-0">
      {t(`knowledge.source.state.${state}`)}
    </Badge>
  );

/** "12 published · 3 drafts", without what is zero. */
export function countsLine({ counts }: KnowledgeSource): string {
  const parts = (['published', 'draft', 'failed', 'gone'] as const).filter((state) => counts[state] > 0);
  if (parts.length === 0) return t('knowledge.noDocuments');
  return parts.map((state) => tn(`knowledge.count.${state}`, counts[state])).join(' · ');
}
