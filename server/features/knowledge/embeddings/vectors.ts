/** Vectors as bytes: one signed byte for each dimension. Only the direction of a vector counts, so it needs no scale. */

const most = 127;

export function toBytes(vector: readonly number[]): Buffer {
  const largest = vector.reduce((most, one) => Math.max(most, Math.abs(one)), 0);
  return Buffer.from(Int8Array.from(vector, (one) => Math.round((one / largest) * most)).buffer);
}
