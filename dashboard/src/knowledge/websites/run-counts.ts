/** What a run has read so far, in words and as a share. */
import type { KnowledgeRun } from '../../../../contract/knowledge.ts';
import { tn } from '../../texts/texts.ts';

export const verdicts = ['added', 'changed', 'unchanged', 'gone', 'skipped', 'failed'] as const;

/** "3 added · 1 changed", without what is zero. */
export function verdictsLine({ counts }: KnowledgeRun): string {
  const parts = verdicts.filter((verdict) => counts[verdict] > 0);
  if (parts.length === 0) return tn('knowledge.run.found', counts.found);
  return parts.map((verdict) => tn(`knowledge.run.count.${verdict}`, counts[verdict])).join(' · ');
}

/** Pages that are gone are counted at the end: no address of this run led to them. */
export const doneOf = ({ counts: { added, changed, unchanged, skipped, failed } }: KnowledgeRun) =>
  added + changed + unchanged + skipped + failed;

export const shareOf = (run: KnowledgeRun) =>
  run.counts.found === 0 ? null : Math.min(1, doneOf(run) / run.counts.found);
