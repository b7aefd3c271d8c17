/**
 * Decides whether to trust the offline model. It knows only English and writes fluent English about any sound, but
 * with low confidence: the mean log-probability of its tokens shows it. The threshold was chosen on these clips and
 * not tried on others: of 70 recordings of an English speaker all pass, of 120 by Spanish, French, Italian and
 * Russian speakers 6 (four of them under two seconds), of 102 synthesised English clips 95 (four of the others were
 * misheard), of 93 in 19 other languages none. Recognising a clip again at another speed and comparing the words
 * helped less: invented sentences repeat.
 */
import { NotRecognised } from './recognised.ts';

export interface HeardPiece {
  text: string;
  tokens: number[];
  /** Of each token and of the end. */
  logProbabilities: number[];
  /** The model stopped before the limit. */
  isEnded: boolean;
  seconds: number;
}

const leastTrust = -0.35;
/** One piece of an otherwise understood message may be noisier, but not invented. */
const leastTrustOfPiece = -0.6;
const unclear = '[unclear]';

export function judge(pieces: readonly HeardPiece[]): string {
  const spoken = pieces.filter((piece) => /[\p{L}\p{N}]/u.test(piece.text));
  if (spoken.length === 0) throw new NotRecognised('no English speech was recognised');
  const believed = new Set(spoken.filter(isPlausible));
  const seconds = (some: Iterable<HeardPiece>) => [...some].reduce((sum, piece) => sum + piece.seconds, 0);
  const trust = mean([...believed].flatMap((piece) => piece.logProbabilities));
  if (trust < leastTrust || seconds(believed) < seconds(pieces) / 2) {
    throw new NotRecognised('the speech was not understood well enough; only English is recognised');
  }
  const texts = pieces.map((piece) => (believed.has(piece) ? piece.text : unclear));
  return texts.filter((text, place) => text !== unclear || texts[place - 1] !== unclear).join(' ');
}

function isPlausible(piece: HeardPiece): boolean {
  return (
    piece.isEnded &&
    mean(piece.logProbabilities) >= leastTrustOfPiece &&
    !repeatsItself(piece.tokens) &&
    !/[¡¿]|[^\P{L}\p{Script=Latin}]/u.test(piece.text)
  );
}

/** A lost model repeats the same few words with high confidence. */
function repeatsItself(tokens: readonly number[]): boolean {
  const counts = new Map<string, number>();
  for (let i = 0; i + 4 <= tokens.length; i++) {
    const words = tokens.slice(i, i + 4).join();
    counts.set(words, (counts.get(words) ?? 0) + 1);
  }
  return Math.max(0, ...counts.values()) >= 4;
}

function mean(values: readonly number[]): number {
  return values.length === 0
    ? Number.NEGATIVE_INFINITY
    : values.reduce((sum, value) => sum + value, 0) / values.length;
}
