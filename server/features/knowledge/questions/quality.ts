/** How well the order of documents that a search found fits those that answer the question. */
import type { Quality } from '../../../../contract/knowledge-questions.ts';

/** How many documents of an answer are looked at. */
const judgedPlaces = 10;

export interface Judged {
  /** The best ones first. */
  found: readonly string[];
  answering: readonly string[];
}

/** Means over all questions; zero without a question. */
export function qualityOf(questions: readonly Judged[]): Quality {
  const mean = (value: (judged: Judged) => number) =>
    questions.length === 0
      ? 0
      : Math.round((questions.reduce((sum, one) => sum + value(one), 0) / questions.length) * 10_000) /
        10_000;
  const isHitWithin = (places: number) => (judged: Judged) => {
    const place = firstPlace(judged);
    return place !== null && place <= places ? 1 : 0;
  };
  return { 'hit@1': mean(isHitWithin(1)), 'hit@5': mean(isHitWithin(5)), 'nDCG@10': mean(gain) };
}

/** Of the first document that answers, from 1. */
export function firstPlace({ found, answering }: Judged): number | null {
  const index = found.slice(0, judgedPlaces).findIndex((id) => answering.includes(id));
  return index === -1 ? null : index + 1;
}

function gain({ found, answering }: Judged): number {
  const discount = (index: number) => 1 / Math.log2(index + 2);
  const real = found
    .slice(0, judgedPlaces)
    .reduce((sum, id, index) => sum + (answering.includes(id) ? discount(index) : 0), 0);
  let best = 0;
  for (let index = 0; index < Math.min(answering.length, judgedPlaces); index++) best += discount(index);
  return best === 0 ? 0 : real / best;
}
