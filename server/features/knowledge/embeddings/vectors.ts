/** Vectors as bytes: one signed byte for each dimension. Only the direction of a vector counts, so it needs no scale. */

const most = 127;

export function toBytes(vector: readonly number[]): Buffer {
  const largest = vector.reduce((most, one) => Math.max(most, Math.abs(one)), 0);
  return Buffer.from(Int8Array.from(vector, (one) => Math.round((one / largest) * most)).buffer);
}

/** The cosine, from -1 to 1. Null: they are of different models. */
export function similarity(vector: readonly number[], bytes: Buffer): number | null {
  if (vector.length !== bytes.length) return null;
  const other = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length);
  let product = 0;
  let square = 0;
  let otherSquare = 0;
  for (let at = 0; at < vector.length; at++) {
    const one = vector[at]!;
    const two = other[at]!;
    product += one * two;
    square += one * one;
    otherSquare += two * two;
  }
  return product / Math.sqrt(square * otherSquare);
}
