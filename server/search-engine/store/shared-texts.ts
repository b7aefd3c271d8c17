// Texts and findings in the form that all threads share: plain arrays and numbers.

/** The arrays of a dictionary. */
export type Texts = {
  bytes: Uint8Array;
  starts: Uint32Array;
  masksLow: Uint32Array;
  masksHigh: Uint32Array;
  bigrams: Uint32Array;
};

/** How many texts are compared between two calls of the yielder: about 0.1 ms. */
export const SLICE = 8192;

/** Each finding is one number: the text's id times 8, plus its rank. */
export const asFound = (id: number, rank: number): number => ((id << 3) | rank) >>> 0;
export const foundId = (found: number): number => found >>> 3;
export const foundRank = (found: number): number => found & 7;
