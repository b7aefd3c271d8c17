// Which texts could match, told from a few characters at a place where a match is tied down: the beginning of a word,
// or a character between words. There are few distinct signatures however many texts there are, so that asking each
// signature is far cheaper than asking each text. All answers are necessary conditions: what they refuse cannot match.

import { Integers } from './search.arrays.ts';
import { HashTable, mixHash } from './search.hash-table.ts';
import { maskBit } from './search.masks.ts';
import { Postings } from './search.postings.ts';
import { isWordCharacter } from './search.text.ts';
import { byteWidth, codePointAt } from './search.utf8.ts';

/** Characters in 6 bits, 0 where the text has ended. The same for a term and a text, so equal characters stay equal. */
const NOTHING = 0;
const CLASSES = 64;
const asciiClasses = Uint8Array.from({ length: 128 }, (_, codePoint) =>
  Math.min(maskBit(codePoint) + 1, CLASSES - 1),
);
const classOf = (codePoint: number): number =>
  codePoint < 128 ? asciiClasses[codePoint]! : Math.min(maskBit(codePoint) + 1, CLASSES - 1);

/** Distinct signatures under dense ids. */
class Signatures {
  readonly codes = new Integers();
  readonly #table = new HashTable();

  get byteLength(): number {
    return this.codes.byteLength + this.#table.byteLength;
  }

  intern(code: number): number {
    const hash = mixHash(code);
    const table = this.#table;
    for (let place = table.seek(hash, hash); place !== -1; place = table.seek(hash, place + 1)) {
      const id = table.idAt(place);
      if (this.codes.data[id] === code) return id;
    }
    const id = this.codes.push(code);
    table.add(hash, id);
    return id;
  }
}

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

/**
 * Characters between words with two neighbours on either side. A match with typos lies within one word, or it runs
 * across such a place: it need not begin or end with one that the term does not have, for leaving it out costs no more.
 */
export class Junctions {
  readonly #signatures = new Signatures();
  readonly #tokens = new Postings();

  get byteLength(): number {
    return this.#signatures.byteLength + this.#tokens.byteLength;
  }

  addToken(token: number, bytes: Uint8Array, from: number, to: number): void {
    let [secondLeft, left, here, right] = [NOTHING, NOTHING, NOTHING, NOTHING];
    let [isHere, isRight] = [false, false];
    // Two steps beyond the end bring the last characters into the middle.
    for (let at = from, beyond = 0; beyond < 2; ) {
      let next = NOTHING;
      let isNext = false;
      if (at < to) {
        const codePoint = codePointAt(bytes, at);
        at += byteWidth(codePoint);
        next = classOf(codePoint);
        isNext = !isWordCharacter(codePoint);
      } else beyond++;
      if (isHere) this.#add(token, (secondLeft << 24) | (left << 18) | (here << 12) | (right << 6) | next);
      secondLeft = left;
      left = here;
      here = right;
      isHere = isRight;
      right = next;
      isRight = isNext;
    }
  }

  #add(token: number, code: number): void {
    const junction = this.#signatures.intern(code);
    if (junction === this.#tokens.counts.length) this.#tokens.addList();
    this.#tokens.append(junction, token);
  }

  /** Calls `visit` for all tokens in which a match of the term with up to two typos may run across a junction. */
  visitTokens(term: readonly number[], visit: (token: number) => void): void {
    const isPossible = crossing(term);
    const { counts, places, pool } = this.#tokens;
    for (let junction = 0; junction < this.#signatures.codes.length; junction++) {
      if (!isPossible(this.#signatures.codes.data[junction]!)) continue;
      const count = counts.data[junction]!;
      const place = places.data[junction]!;
      if (count === 1) visit(place);
      else for (let at = place; at < place + count; at++) visit(pool.data[at]!);
    }
  }
}

/**
 * The test of one junction. Bit p of a set stands for the split of the term before its character p; `exact` and `near`
 * hold the splits to which the two neighbours on one side fit without or with at most one typo. Two typos fit all.
 */
function crossing(term: readonly number[]): (code: number) => boolean {
  const length = term.length;
  const positions = new Int32Array(CLASSES);
  term.forEach((codePoint, i) => {
    positions[classOf(codePoint)]! |= 1 << i;
  });
  // Whole tables over pairs of classes, but only the rows and columns of the term's own characters are worked out: a
  // pair of two others allows just the splits that ask nothing of it.
  const left = { exact: filled(1), near: filled(3) };
  const right = { exact: filled(1 << length), near: filled((1 << length) | (1 << (length - 1))) };
  const workOut = (outer: number, inner: number): void => {
    const far = positions[outer]!;
    const close = positions[inner]!;
    // Left of the split: `far` then `close`, at p - 2 and p - 1. The first split needs nothing.
    let exact = ((close << 1) & (far << 2)) | ((close << 1) & 2) | 1;
    left.exact[outer * CLASSES + inner] = exact;
    left.near[outer * CLASSES + inner] =
      exact | (close << 1) | (far << 2) | (far << 1) | ((close << 2) & ((far << 3) | 4)) | 2;
    // Right of it: `close` then `far`, at p and p + 1. The last split needs nothing.
    exact = (close & (far >>> 1)) | (close & (1 << (length - 1))) | (1 << length);
    right.exact[inner * CLASSES + outer] = exact;
    right.near[inner * CLASSES + outer] =
      exact |
      close |
      (far >>> 1) |
      far |
      ((close >>> 1) & ((far >>> 2) | (1 << (length - 2)))) |
      (1 << (length - 1));
  };
  for (const own of new Set(term.map(classOf))) {
    for (let other = 0; other < CLASSES; other++) {
      workOut(own, other);
      workOut(other, own);
    }
  }
  /** The splits that leave at least `low` characters on the left and `high` on the right. */
  const splits = (low: number, high: number): number => ((1 << (length - high + 1)) - 1) & ~((1 << low) - 1);
  // A side is worth keeping only if it has more characters than its typos and, where the junction's character is an
  // addition, that one's: else the term is matched as well by what lies on the other side alone.
  const addedThenNear = splits(2, 3);
  const nearThenAdded = splits(3, 2);
  const addedExactly = splits(2, 2);
  const replacedThenNear = splits(1, 3);
  const nearThenReplaced = splits(2, 2);
  const replacedExactly = splits(1, 2);
  return (code) => {
    const before = code >>> 18;
    const after = code & 0xfff;
    const own = positions[(code >>> 12) & 63]!;
    const leftExact = left.exact[before]!;
    const leftNear = left.near[before]!;
    const rightExact = right.exact[after]!;
    const rightNear = right.near[after]!;
    const rightExactNext = rightExact >>> 1;
    const rightNearNext = rightNear >>> 1;
    // The character is a typo itself, added between p - 1 and p or in the place of p: one more is allowed.
    const added =
      (leftExact & rightExact & addedExactly) |
      (leftExact & rightNear & addedThenNear) |
      (leftNear & rightExact & nearThenAdded);
    const replaced =
      (leftExact & rightExactNext & replacedExactly) |
      (leftExact & rightNearNext & replacedThenNear) |
      (leftNear & rightExactNext & nearThenReplaced);
    if ((added | replaced) !== 0) return true;
    if (own === 0) return false;
    // It is the term's character p: two typos are allowed on both sides together.
    if ((own & (leftExact | rightExactNext | (leftNear & rightNearNext))) !== 0) return true;
    // It has changed places with its neighbour.
    return (own & (positions[before & 63]! >>> 1)) !== 0 || ((own >>> 1) & positions[after >>> 6]!) !== 0;
  };
}

function filled(value: number): Int32Array {
  return new Int32Array(CLASSES * CLASSES).fill(value);
}
