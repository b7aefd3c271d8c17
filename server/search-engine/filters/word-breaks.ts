// Word breaks: separators inside tokens. A match with typos lies within one word or runs across a word break, so a
// term of six characters or more is searched in words and in the tokens that this index finds.

import type { Archive } from '../snapshot/archive.ts';
import { ONLY, Postings } from '../store/postings.ts';
import { isWordCharacter } from '../store/text.ts';
import { byteWidth, codePointAt } from '../store/utf8.ts';
import { classOf, NOTHING, Signatures } from './signatures.ts';
import { WordBreakMatcher } from './word-break-matcher.ts';

const NEIGHBOUR_BITS = 12;
const NEIGHBOURS = (1 << NEIGHBOUR_BITS) - 1;
/** An element of a list has 31 bits. */
const BLOCK_TOKENS = 1 << (31 - NEIGHBOUR_BITS);

const selected = new Uint32Array(1024);

export class WordBreakIndex {
  /** The separator with two neighbours on either side. */
  readonly #signatures = new Signatures();
  /**
   * For each block of tokens, by signature: the token within its block and the third neighbours, in one number. Two
   * numbers would take twice the memory, and blocks let a number hold both however many tokens there are.
   */
  readonly #blocks: Postings[] = [];

  get byteLength(): number {
    return this.#blocks.reduce((sum, { byteLength }) => sum + byteLength, this.#signatures.byteLength);
  }

  archive(archive: Archive): void {
    this.#signatures.archive(archive);
    archive.value(
      () => this.#blocks.length,
      (blocks) => {
        while (this.#blocks.length < blocks) this.#blocks.push(new Postings());
      },
    );
    for (const block of this.#blocks) block.archive(archive);
  }

  addToken(token: number, bytes: Uint8Array, from: number, to: number): void {
    const block = this.#blockOf(token);
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
      while (block.size <= signature) block.addList();
      block.append(signature, ((token % BLOCK_TOKENS) << NEIGHBOUR_BITS) | (left3 << 6) | right3);
    }
  }

  /** Calls `visit` for all tokens in which a match of the term with up to two typos may run across a word break. */
  visitTokens(term: readonly number[], visit: (token: number) => void): void {
    const crossing = new WordBreakMatcher(term);
    const codes = this.#signatures.codes.data;
    const { length } = this.#signatures.codes;
    for (let from = 0; from < length; from += selected.length) {
      const count = crossing.select(codes, from, Math.min(from + selected.length, length), selected);
      for (let i = 0; i < count; i++)
        this.#visitTokensOf(selected[i]!, codes[selected[i]!]!, crossing, visit);
    }
  }

  #visitTokensOf(
    signature: number,
    code: number,
    crossing: WordBreakMatcher,
    visit: (token: number) => void,
  ): void {
    for (let block = 0; block < this.#blocks.length; block++) {
      this.#visitBlock(block, signature, code, crossing, visit);
    }
  }

  #visitBlock(
    block: number,
    signature: number,
    code: number,
    crossing: WordBreakMatcher,
    visit: (token: number) => void,
  ): void {
    const { size, entries, pool } = this.#blocks[block]!;
    if (signature >= size) return;
    const first = block * BLOCK_TOKENS;
    const entry = entries.data[signature]!;
    if (entry >= ONLY) {
      const only = entry - ONLY;
      if (crossing.isPossibleWith(code, only & NEIGHBOURS)) visit(first + (only >>> NEIGHBOUR_BITS));
      return;
    }
    const elements = pool.data;
    const end = entry + elements[entry]!;
    for (let at = entry + 1; at <= end; at++) {
      const element = elements[at]!;
      if (crossing.isPossibleWith(code, element & NEIGHBOURS)) visit(first + (element >>> NEIGHBOUR_BITS));
    }
  }

  #blockOf(token: number): Postings {
    const block = Math.floor(token / BLOCK_TOKENS);
    while (this.#blocks.length <= block) this.#blocks.push(new Postings());
    return this.#blocks[block]!;
  }
}
