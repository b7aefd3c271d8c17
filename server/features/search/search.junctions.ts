// Characters between words. A match with typos lies within one word, or it runs across such a place; so a term of six
// characters or more is looked for in words, and in the tokens that this finds.

import { Bytes, Integers } from './search.arrays.ts';
import { Crossing } from './search.crossing.ts';
import { Postings } from './search.postings.ts';
import { classOf, NOTHING, Signatures } from './search.signatures.ts';
import { isWordCharacter } from './search.text.ts';
import { byteWidth, codePointAt } from './search.utf8.ts';

export class Junctions {
  /** The character itself with two neighbours on either side. */
  readonly #signatures = new Signatures();
  readonly #ofSignature = new Postings();
  /** Of each junction: its token, and the third neighbours. */
  readonly #tokens = new Integers();
  readonly #thirdLeft = new Bytes();
  readonly #thirdRight = new Bytes();

  get byteLength(): number {
    const columns = [this.#tokens, this.#thirdLeft, this.#thirdRight];
    return [...columns, this.#signatures, this.#ofSignature].reduce(
      (sum, { byteLength }) => sum + byteLength,
      0,
    );
  }

  addToken(token: number, bytes: Uint8Array, from: number, to: number): void {
    // Seven characters at a time, the one in the middle being the one that is asked about.
    const classes = [NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING, NOTHING];
    const isJunction = [false, false, false, false];
    for (let at = from, beyond = 0; beyond < 3; ) {
      classes.shift();
      isJunction.shift();
      if (at < to) {
        const codePoint = codePointAt(bytes, at);
        at += byteWidth(codePoint);
        classes.push(classOf(codePoint));
        isJunction.push(!isWordCharacter(codePoint));
      } else {
        beyond++;
        classes.push(NOTHING);
        isJunction.push(false);
      }
      if (isJunction[0]) this.#add(token, classes);
    }
  }

  #add(token: number, [thirdLeft, a, b, own, c, d, thirdRight]: number[]): void {
    const signature = this.#signatures.intern((a! << 24) | (b! << 18) | (own! << 12) | (c! << 6) | d!);
    if (signature === this.#ofSignature.counts.length) this.#ofSignature.addList();
    this.#ofSignature.append(signature, this.#tokens.push(token));
    this.#thirdLeft.push(thirdLeft!);
    this.#thirdRight.push(thirdRight!);
  }

  /** Calls `visit` for all tokens in which a match of the term with up to two typos may run across a junction. */
  visitTokens(term: readonly number[], visit: (token: number) => void): void {
    const crossing = new Crossing(term);
    const counts = this.#ofSignature.counts.data;
    const places = this.#ofSignature.places.data;
    const pool = this.#ofSignature.pool.data;
    const tokens = this.#tokens.data;
    const thirdLeft = this.#thirdLeft.data;
    const thirdRight = this.#thirdRight.data;
    for (let signature = 0; signature < this.#signatures.codes.length; signature++) {
      const code = this.#signatures.codes.data[signature]!;
      if (!crossing.isPossible(code)) continue;
      const count = counts[signature]!;
      for (let i = 0; i < count; i++) {
        const junction = count === 1 ? places[signature]! : pool[places[signature]! + i]!;
        if (crossing.isPossibleWith(code, thirdLeft[junction]!, thirdRight[junction]!))
          visit(tokens[junction]!);
      }
    }
  }
}
