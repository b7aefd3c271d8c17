import { Integers } from './search.arrays.ts';
import { classOf, NOTHING, Signatures } from './search.signatures.ts';
import { byteWidth, codePointAt } from './search.utf8.ts';

/** The first three characters of words, and of phone numbers' digits, which are words too. */
export class Heads {
  readonly ofText = new Integers();
  readonly #signatures = new Signatures();

  get byteLength(): number {
    return this.ofText.byteLength + this.#signatures.byteLength;
  }

  add(bytes: Uint8Array, from: number, to: number): void {
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
    this.ofText.push(this.#signatures.intern(code));
  }

  /** By head: 1 where a word may begin with a term of three characters or more but for one typo. */
  withinOneTypo(term: readonly number[]): Uint8Array {
    const [a, b, c] = [classOf(term[0]!), classOf(term[1]!), classOf(term[2]!)];
    const result = new Uint8Array(this.#signatures.codes.length);
    for (let head = 0; head < result.length; head++) {
      const code = this.#signatures.codes.data[head]!;
      const x = code >>> 12;
      const y = (code >>> 6) & 63;
      const z = code & 63;
      const typoLater = x === a && (y === b || z === c || z === b || y === c);
      const typoFirst = (y === b && z === c) || (y === a && z === b) || (x === b && (y === c || y === a));
      result[head] = typoLater || typoFirst ? 1 : 0;
    }
    return result;
  }
}
