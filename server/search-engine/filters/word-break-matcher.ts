// Whether a match of a term with up to two typos may run across a word break, judged by the characters around it. A
// necessary condition: a rejected word break cannot match.
//
// A match need not begin or end with a separator that the term does not have, because omitting it costs no more. It
// need not keep a side that could be dropped at the same cost either. The rest lies within one word and is found
// there.

import { CLASSES, classOf } from './signatures.ts';

/** Any character: the neighbour is outside the signature. */
const ANY = -1;
/** All splits. */
const ALL = -1;

const UNKNOWN = 0;
const NO = 1;
const YES = 2;

export class WordBreakMatcher {
  /** Bit i of a character class: the term has this class at position i. */
  readonly #positions = new Int32Array(CLASSES);
  readonly #length: number;
  // Bit p of a set: the split of the term before position p. These are the splits that two neighbours on one side
  // allow exactly or with one typo. Two typos allow all splits until a third neighbour is known.
  readonly #leftExact: Int32Array;
  readonly #leftNear: Int32Array;
  readonly #rightExact: Int32Array;
  readonly #rightNear: Int32Array;
  /**
   * The splits that two neighbours on one side allow in any way in which the separator is a typo. Where both sides have
   * none in common and the term does not have the separator, nothing else needs to be computed: so it is for nearly all
   * signatures.
   */
  readonly #leftAny = new Int32Array(CLASSES * CLASSES);
  readonly #rightAny = new Int32Array(CLASSES * CLASSES);
  /** The result for the last signature: its list repeats the same question. */
  readonly #remembered = new Uint8Array(CLASSES * CLASSES);
  #rememberedCode = -1;
  // A side is worth keeping only if it has more characters than typos, including the separator if that was inserted.
  readonly #addedExactly: number;
  readonly #addedThenNear: number;
  readonly #nearThenAdded: number;
  readonly #replacedExactly: number;
  readonly #replacedThenNear: number;
  readonly #nearThenReplaced: number;

  /** The term has at least 6 characters and at most 31. */
  constructor(term: readonly number[]) {
    this.#length = term.length;
    term.forEach((codePoint, i) => {
      this.#positions[classOf(codePoint)]! |= 1 << i;
    });
    const splits = (left: number, right: number): number =>
      ((1 << (term.length - right + 1)) - 1) & ~((1 << left) - 1);
    this.#addedExactly = splits(2, 2);
    this.#addedThenNear = splits(2, 3);
    this.#nearThenAdded = splits(3, 2);
    this.#replacedExactly = splits(1, 2);
    this.#replacedThenNear = splits(1, 3);
    this.#nearThenReplaced = splits(2, 2);
    const table = (value: number): Int32Array => new Int32Array(CLASSES * CLASSES).fill(value);
    this.#leftExact = table(this.#exactOnLeft(0, 0, ANY));
    this.#leftNear = table(this.#nearOnLeft(0, 0, ANY));
    this.#rightExact = table(this.#exactOnRight(0, 0, ANY));
    this.#rightNear = table(this.#nearOnRight(0, 0, ANY));
    // All other pairs of neighbours consist of characters that the term does not have.
    for (const own of new Set(term.map(classOf))) {
      for (let other = 0; other < CLASSES; other++) {
        this.#fillTables(own, other);
        this.#fillTables(other, own);
      }
    }
    for (let pair = 0; pair < CLASSES * CLASSES; pair++) this.#unite(pair);
  }

  /** Writes which of these signatures are possible to `found`, and returns their number. */
  select(codes: Uint32Array, from: number, to: number, found: Uint32Array): number {
    const leftAny = this.#leftAny;
    const rightAny = this.#rightAny;
    const positions = this.#positions;
    let count = 0;
    for (let signature = from; signature < to; signature++) {
      const code = codes[signature]!;
      if ((leftAny[code >>> 18]! & rightAny[code & 0xfff]!) === 0 && positions[(code >>> 12) & 63] === 0)
        continue;
      if (this.isPossible(code)) found[count++] = signature;
    }
    return count;
  }

  /** By two neighbours on either side: 6 bits each, left to right, with the separator in the middle. */
  isPossible(code: number): boolean {
    const before = code >>> 18;
    const after = code & 0xfff;
    return this.#isPossible(
      code,
      this.#leftExact[before]!,
      this.#leftNear[before]!,
      this.#rightExact[after]!,
      this.#rightNear[after]!,
      ALL,
      ALL,
    );
  }

  /** By the third neighbours on the left and on the right, 6 bits each. */
  isPossibleWith(code: number, third: number): boolean {
    if (code !== this.#rememberedCode) {
      this.#rememberedCode = code;
      this.#remembered.fill(UNKNOWN);
    }
    const known = this.#remembered[third]!;
    if (known !== UNKNOWN) return known === YES;
    const positions = this.#positions;
    const a = positions[(code >>> 18) & 63]!;
    const b = positions[code >>> 24]!;
    const c = positions[third >>> 6]!;
    const x = positions[(code >>> 6) & 63]!;
    const y = positions[code & 63]!;
    const z = positions[third & 63]!;
    const isPossible = this.#isPossible(
      code,
      this.#exactOnLeft(a, b, c),
      this.#nearOnLeft(a, b, c),
      this.#exactOnRight(x, y, z),
      this.#nearOnRight(x, y, z),
      twoOnLeft(a, b, c),
      this.#twoOnRight(x, y, z),
    );
    this.#remembered[third] = isPossible ? YES : NO;
    return isPossible;
  }

  #isPossible(
    code: number,
    leftExact: number,
    leftNear: number,
    rightExact: number,
    rightNear: number,
    leftTwo: number,
    rightTwo: number,
  ): boolean {
    const rightExactNext = rightExact >>> 1;
    const rightNearNext = rightNear >>> 1;
    // The separator is itself a typo (inserted before position p, or substituted there): one more is allowed.
    const added =
      (leftExact & rightExact & this.#addedExactly) |
      (leftExact & rightNear & this.#addedThenNear) |
      (leftNear & rightExact & this.#nearThenAdded);
    const replaced =
      (leftExact & rightExactNext & this.#replacedExactly) |
      (leftExact & rightNearNext & this.#replacedThenNear) |
      (leftNear & rightExactNext & this.#nearThenReplaced);
    if ((added | replaced) !== 0) return true;
    const own = this.#positions[(code >>> 12) & 63]!;
    if (own === 0) return false;
    // The separator is the term's character at position p: two typos are allowed on both sides together.
    const both = (leftExact & (rightTwo >>> 1)) | (leftTwo & rightExactNext) | (leftNear & rightNearNext);
    if ((own & both) !== 0) return true;
    // The separator was swapped with a neighbour.
    const left = this.#positions[(code >>> 18) & 63]!;
    const right = this.#positions[(code >>> 6) & 63]!;
    return (own & (left >>> 1)) !== 0 || ((own >>> 1) & right) !== 0;
  }

  #fillTables(first: number, second: number): void {
    const at = first * CLASSES + second;
    const a = this.#positions[first]!;
    const b = this.#positions[second]!;
    this.#leftExact[at] = this.#exactOnLeft(b, a, ANY);
    this.#leftNear[at] = this.#nearOnLeft(b, a, ANY);
    this.#rightExact[at] = this.#exactOnRight(a, b, ANY);
    this.#rightNear[at] = this.#nearOnRight(a, b, ANY);
  }

  #unite(pair: number): void {
    const exactly = this.#addedExactly | this.#addedThenNear | this.#replacedExactly | this.#replacedThenNear;
    this.#leftAny[pair] =
      (this.#leftExact[pair]! & exactly) |
      (this.#leftNear[pair]! & (this.#nearThenAdded | this.#nearThenReplaced));
    const exact = this.#rightExact[pair]!;
    const near = this.#rightNear[pair]!;
    this.#rightAny[pair] =
      (exact & (this.#addedExactly | this.#nearThenAdded)) |
      (near & this.#addedThenNear) |
      ((exact >>> 1) & (this.#replacedExactly | this.#nearThenReplaced)) |
      ((near >>> 1) & this.#replacedThenNear);
  }

  /** Neighbours a, b and c from the word break outwards, as the positions where the term has them. */
  #exactOnLeft(a: number, b: number, c: number): number {
    return before(a, 1) & before(b, 2) & before(c, 3);
  }

  #nearOnLeft(a: number, b: number, c: number): number {
    const a1 = before(a, 1);
    const b2 = before(b, 2);
    const c3 = before(c, 3);
    const c2 = before(c, 2);
    const b3c4 = before(b, 3) & before(c, 4);
    const replaced = (b2 & c3) | (a1 & c3) | (a1 & b2);
    const added = (before(b, 1) & c2) | (a1 & c2);
    const left = (before(a, 2) & b3c4) | (a1 & b3c4);
    const swapped = (before(a, 2) & before(b, 1) & c3) | (a1 & before(b, 3) & c2);
    return replaced | added | left | swapped;
  }

  #exactOnRight(a: number, b: number, c: number): number {
    return this.#after(a, 1) & this.#after(b, 2) & this.#after(c, 3);
  }

  #nearOnRight(a: number, b: number, c: number): number {
    const a1 = this.#after(a, 1);
    const b2 = this.#after(b, 2);
    const c3 = this.#after(c, 3);
    const c2 = this.#after(c, 2);
    const b3c4 = this.#after(b, 3) & this.#after(c, 4);
    const replaced = (b2 & c3) | (a1 & c3) | (a1 & b2);
    const added = (this.#after(b, 1) & c2) | (a1 & c2);
    const left = (this.#after(a, 2) & b3c4) | (a1 & b3c4);
    const swapped = (this.#after(a, 2) & this.#after(b, 1) & c3) | (a1 & this.#after(b, 3) & c2);
    return replaced | added | left | swapped;
  }

  /** As on the left. */
  #twoOnRight(a: number, b: number, c: number): number {
    const upToThree = a | b | c;
    const matched = upToThree | (upToThree >>> 1) | (upToThree >>> 2) | ((b | c) >>> 3) | (c >>> 4);
    return matched | (-1 << (this.#length - 2));
  }

  /** The splits p whose nth character to the right is in this set, or is beyond the end of the term. */
  #after(places: number, nth: number): number {
    return (places >>> (nth - 1)) | (-1 << (this.#length - nth + 1));
  }
}

/**
 * With two typos, a side of three or more characters keeps one of the first three neighbours, matched or swapped, at
 * most two positions away: replacing, inserting or deleting all three would take three typos.
 */
function twoOnLeft(a: number, b: number, c: number): number {
  const upToThree = a | b | c;
  return (upToThree << 1) | (upToThree << 2) | (upToThree << 3) | ((b | c) << 4) | (c << 5) | 7;
}

/** The splits p whose nth character to the left is in this set, or is before the start of the term. */
function before(places: number, nth: number): number {
  return (places << nth) | ((1 << nth) - 1);
}
