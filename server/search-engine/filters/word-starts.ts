import type { Archive } from '../snapshot/archive.ts';
import { Postings } from '../store/postings.ts';
import { byteWidth, codePointAt } from '../store/utf8.ts';
import { hasOwnBit } from './character-masks.ts';
import { classOf, NOTHING, Signatures } from './signatures.ts';

/** Words and the digits of phone numbers, indexed by their first three characters. */
export class WordStartIndex {
  readonly #signatures = new Signatures();
  readonly #textsOf = new Postings();

  get byteLength(): number {
    return this.#signatures.byteLength + this.#textsOf.byteLength;
  }

  archive(archive: Archive): void {
    this.#signatures.archive(archive);
    this.#textsOf.archive(archive);
  }

  add(text: number, bytes: Uint8Array, from: number, to: number): void {
    let code = 0;
    let at = from;
    for (let i = 0; i < 3; i++) {
      let character: number = NOTHING;
      if (at < to) {
        const codePoint = codePointAt(bytes, at);
        at += byteWidth(codePoint);
        character = classOf(codePoint);
      }
      code = (code << 6) | character;
    }
    const head = this.#signatures.intern(code);
    if (head === this.#textsOf.size) this.#textsOf.addList();
    this.#textsOf.append(head, text);
  }

  /**
   * Calls `visit` for all texts that may begin with a term of three or more characters with at most one typo, and
   * reports whether the match is certain: with three characters the start alone usually decides, and the text need
   * not be read.
   */
  visitWithinOneTypo(term: readonly number[], visit: (text: number, isCertain: boolean) => void): void {
    this.#eachWithinOneTypo(term, (head, isCertain) =>
      this.#textsOf.each(head, (text) => visit(text, isCertain)),
    );
  }

  /** How many texts `visit` would get. */
  countWithinOneTypo(term: readonly number[]): number {
    let count = 0;
    this.#eachWithinOneTypo(term, (head) => {
      count += this.#textsOf.count(head);
    });
    return count;
  }

  #eachWithinOneTypo(term: readonly number[], visit: (head: number, isCertain: boolean) => void): void {
    // Characters of the same class may be different characters.
    const isCertain = term.length === 3 && term.every(hasOwnBit);
    const [a, b, c] = [classOf(term[0]!), classOf(term[1]!), classOf(term[2]!)];
    const codes = this.#signatures.codes.data;
    for (let head = 0; head < this.#signatures.codes.length; head++) {
      const code = codes[head]!;
      const x = code >>> 12;
      const y = (code >>> 6) & 63;
      const z = code & 63;
      const typoLater = x === a && (y === b || z === c || z === b || y === c);
      const typoFirst = (y === b && z === c) || (y === a && z === b) || (x === b && (y === c || y === a));
      if (!typoLater && !typoFirst) continue;
      const hasTwo = x === a ? y === b || z === c || y === c : (y === b && z === c) || (x === b && y === c);
      visit(head, isCertain && (hasTwo || (x === b && y === a && z === c)));
    }
  }
}
