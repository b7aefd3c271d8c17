// Word breaks: separators inside tokens. A match with typos lies within one word or runs across a word break, so a
// term of six characters or more is searched in words and in the tokens that this index finds.

import type { Archive } from '../snapshot/archive.ts';
import { Postings } from '../store/postings.ts';
import { isWordCharacter } from '../store/text.ts';
import { byteWidth, codePointAt } from '../store/utf8.ts';
import { classOf, NOTHING, Signatures } from './signatures.ts';
import { WordBreakMatcher } from './word-break-matcher.ts';

export class WordBreakIndex {
  /** The separator with two neighbours on either side. */
  readonly #signatures = new Signatures();
  /** Pairs of a token and the third neighbours, adjacent because both are read together. */
  readonly #ofSignature = new Postings();

  get byteLength(): number {
    return this.#signatures.byteLength + this.#ofSignature.byteLength;
  }

  archive(archive: Archive): void {
    this.#signatures.archive(archive);
    this.#ofSignature.archive(archive);
  }

  addToken(token: number, bytes: Uint8Array, from: number, to: number): void {
    // A window of seven characters moves over the token and three steps beyond its end, with `own` in the middle.
    let left3 = NOTHING;
    let left2 = NOTHING;
    let left1 = NOTHING;
    let own = NOTHING;
    let right1 = NOTHING;
    let right2 = NOTHING;
    let right3 = NOTHING;
    // Bit n: the character n positions to the right of `own` is a separator.
    let betweenWords = 0;
    for (let at = from, beyond = 0; beyond < 3; ) {
      left3 = left2;
      left2 = left1;
      left1 = own;
      own = right1;
      right1 = right2;
      right2 = right3;
      right3 = NOTHING;
      betweenWords >>= 1;
      if (at < to) {
        const codePoint = codePointAt(bytes, at);
        at += byteWidth(codePoint);
        right3 = classOf(codePoint);
        if (!isWordCharacter(codePoint)) betweenWords |= 8;
      } else beyond++;
      if ((betweenWords & 1) === 0) continue;
      const code = (left2 << 24) | (left1 << 18) | (own << 12) | (right1 << 6) | right2;
      const signature = this.#signatures.intern(code);
      if (signature === this.#ofSignature.size) this.#ofSignature.addList();
      this.#ofSignature.append(signature, token);
      this.#ofSignature.append(signature, (left3 << 6) | right3);
    }
  }

  /** Calls `visit` for all tokens in which a match of the term with up to two typos may run across a word break. */
  visitTokens(term: readonly number[], visit: (token: number) => void): void {
    const crossing = new WordBreakMatcher(term);
    const codes = this.#signatures.codes.data;
    for (let signature = 0; signature < this.#signatures.codes.length; signature++) {
      const code = codes[signature]!;
      if (crossing.isPossible(code)) this.#visitTokensOf(signature, code, crossing, visit);
    }
  }

  #visitTokensOf(
    signature: number,
    code: number,
    crossing: WordBreakMatcher,
    visit: (token: number) => void,
  ): void {
    const pool = this.#ofSignature.pool.data;
    // A list has at least two numbers, so its entry is always an offset.
    const place = this.#ofSignature.entries.data[signature]!;
    const end = place + pool[place]!;
    for (let at = place + 1; at < end; at += 2) {
      if (crossing.isPossibleWith(code, pool[at + 1]!)) visit(pool[at]!);
    }
  }
}
