// Compares a pattern of up to 15 characters with several ASCII texts of the same length at once, each in a lane of a
// 32-bit word. It is the automaton of `Pattern.typosUpToTwo`, in four lanes for up to 7 characters, otherwise in two.
//
// The texts have the same length so that no branch of the loop depends on a text: with different lengths the
// comparison took almost twice as long.
//
// The lowest bit of a row is always set, and no other bit spills into the next lane: only that bit is shifted there,
// or it is masked by `matches`, which never has it.

import type { Pattern } from './pattern.ts';

const FOUR = 0x01010101;
const TWO = 0x00010001;

/** How many texts are compared with a pattern at once: 1 if the pattern is too long. */
export function lanesFor({ length }: Pattern): 1 | 2 | 4 {
  if (length <= 7) return 4;
  return length <= 15 ? 2 : 1;
}

/**
 * Result in each 8-bit lane, first text lowest: 3 for an exact match, one less for each typo, 0 for three or more.
 */
export function matchFour(
  { ascii, length: place }: Pattern,
  bytes: Uint8Array,
  first: number,
  second: number,
  third: number,
  fourth: number,
  length: number,
): number {
  let none = FOUR;
  let one = FOUR * 3;
  let two = FOUR * 7;
  let noneBefore = 0;
  let oneBefore = 0;
  let previous = 0;
  let reachedByNone = 0;
  let reachedByOne = 0;
  let reachedByTwo = 0;
  for (let i = 0; i < length; i++) {
    const matches =
      (ascii[bytes[first + i]!]! << 1) |
      (ascii[bytes[second + i]!]! << 9) |
      (ascii[bytes[third + i]!]! << 17) |
      (ascii[bytes[fourth + i]!]! << 25);
    const swap = (matches << 1) & previous;
    const nextNone = ((none << 1) & matches) | FOUR;
    const nextOne =
      ((one << 1) & matches) | none | ((none | nextNone) << 1) | ((noneBefore << 2) & swap) | FOUR;
    two = ((two << 1) & matches) | one | ((one | nextOne) << 1) | ((oneBefore << 2) & swap) | FOUR;
    noneBefore = none;
    oneBefore = one;
    none = nextNone;
    one = nextOne;
    previous = matches;
    reachedByNone |= none;
    reachedByOne |= one;
    reachedByTwo |= two;
  }
  // A state reached with fewer typos is also reached with more.
  return (
    ((reachedByTwo >>> place) & FOUR) + ((reachedByOne >>> place) & FOUR) + ((reachedByNone >>> place) & FOUR)
  );
}

/** The same in two lanes of 16 bits. Duplicated, because the number of lanes as a parameter would add a loop. */
export function matchTwo(
  { ascii, length: place }: Pattern,
  bytes: Uint8Array,
  first: number,
  second: number,
  length: number,
): number {
  let none = TWO;
  let one = TWO * 3;
  let two = TWO * 7;
  let noneBefore = 0;
  let oneBefore = 0;
  let previous = 0;
  let reachedByNone = 0;
  let reachedByOne = 0;
  let reachedByTwo = 0;
  for (let i = 0; i < length; i++) {
    const matches = (ascii[bytes[first + i]!]! << 1) | (ascii[bytes[second + i]!]! << 17);
    const swap = (matches << 1) & previous;
    const nextNone = ((none << 1) & matches) | TWO;
    const nextOne =
      ((one << 1) & matches) | none | ((none | nextNone) << 1) | ((noneBefore << 2) & swap) | TWO;
    two = ((two << 1) & matches) | one | ((one | nextOne) << 1) | ((oneBefore << 2) & swap) | TWO;
    noneBefore = none;
    oneBefore = one;
    none = nextNone;
    one = nextOne;
    previous = matches;
    reachedByNone |= none;
    reachedByOne |= one;
    reachedByTwo |= two;
  }
  return (
    ((reachedByTwo >>> place) & TWO) + ((reachedByOne >>> place) & TWO) + ((reachedByNone >>> place) & TWO)
  );
}
