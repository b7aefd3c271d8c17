/** Which open gap a question joins: the one that has most of its stems, if that is at least 60 % of them. */

interface Gap {
  id: string;
  stems: readonly string[];
}

interface Question {
  messageId: string;
  at: number;
  stems: readonly string[];
}

const sharedShare = 0.6;

/** Questions without a gap begin one, which the next ones may join. `open`: the newest first; equal ones keep that order. */
export function joinGaps(
  open: readonly Gap[],
  questions: readonly Question[],
  newId: () => string,
): {
  added: { id: string; at: number }[];
  grouped: { messageId: string; gapId: string; stems: readonly string[] }[];
} {
  const gapsWith = new Map<string, Gap[]>();
  const add = (gap: Gap) => {
    for (const stem of new Set(gap.stems)) {
      const gaps = gapsWith.get(stem);
      if (gaps) gaps.push(gap);
      else gapsWith.set(stem, [gap]);
    }
  };
  for (const gap of open) add(gap);
  const added: { id: string; at: number }[] = [];
  const grouped = questions.map(({ messageId, at, stems }) => {
    const shared = new Map<Gap, number>();
    for (const stem of stems) {
      for (const gap of gapsWith.get(stem) ?? []) shared.set(gap, (shared.get(gap) ?? 0) + 1);
    }
    let best: Gap | null = null;
    let most = sharedShare * stems.length;
    for (const [gap, count] of shared) {
      if (best === null ? count >= most : count > most) [best, most] = [gap, count];
    }
    if (best === null) {
      best = { id: newId(), stems };
      added.push({ id: best.id, at });
      add(best);
    }
    return { messageId, gapId: best.id, stems };
  });
  return { added, grouped };
}
