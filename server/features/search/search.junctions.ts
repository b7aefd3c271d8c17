// Characters between words. A match with typos lies within one word, or it runs across such a place; so a term of six
// characters or more is looked for in words, and in the tokens that this finds.

import { Crossing } from './search.crossing.ts';
import { Postings } from './search.postings.ts';
import { classOf, NOTHING, Signatures } from './search.signatures.ts';
import { isWordCharacter } from './search.text.ts';
import { byteWidth, codePointAt } from './search.utf8.ts';

export class Junctions {
  /** The character itself with two neighbours on either side. */
  readonly #signatures = new Signatures();
  /** Pairs: a token, and the third neighbours. Side by side, because both are read in one go. */
  readonly #ofSignature = new Postings();

  get byteLength(): number {
    return this.#signatures.byteLength + this.#ofSignature.byteLength;
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
    this.#ofSignature.append(signature, token);
    this.#ofSignature.append(signature, (thirdLeft! << 6) | thirdRight!);
  }

  /** Calls `visit` for all tokens in which a match of the term with up to two typos may run across a junction. */
  visitTokens(term: readonly number[], visit: (token: number) => void): void {
    const crossing = new Crossing(term);
    const codes = this.#signatures.codes.data;
    const counts = this.#ofSignature.counts.data;
    const places = this.#ofSignature.places.data;
    const pool = this.#ofSignature.pool.data;
    for (let signature = 0; signature < this.#signatures.codes.length; signature++) {
      const code = codes[signature]!;
      if (!crossing.isPossible(code)) continue;
      const end = places[signature]! + counts[signature]!;
      for (let at = places[signature]!; at < end; at += 2) {
        if (crossing.isPossibleWith(code, pool[at + 1]!)) visit(pool[at]!);
      }
    }
  }
}
