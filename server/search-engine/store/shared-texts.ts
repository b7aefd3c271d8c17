// Texts as all threads see them, and what they tell each other of them: bare arrays and numbers.

/** The arrays of a dictionary. */
export type Texts = {
  bytes: Uint8Array;
  starts: Uint32Array;
  masksLow: Uint32Array;
  masksHigh: Uint32Array;
  bigrams: Uint32Array;
};

/** How many texts are looked at between two calls of the pause: some 0.1 ms. */
export const SLICE = 8192;

/** What was found is written as one number each: the text's id times 8, and its rank. */
export const asFound = (id: number, rank: number): number => ((id << 3) | rank) >>> 0;
export const foundId = (found: number): number => found >>> 3;
export const foundRank = (found: number): number => found & 7;
