/**
 * A set of texts to compare, one bit each, read in storage order. In shared memory, because the search threads read
 * it.
 */
export class Candidates {
  bits: Uint32Array = new Uint32Array(0);

  reset(size: number): void {
    const words = (size + 31) >>> 5;
    if (words > this.bits.length)
      this.bits = new Uint32Array(new SharedArrayBuffer((words + (words >>> 3)) * 4));
    else this.bits.fill(0, 0, words);
  }

  readonly add = (id: number): void => {
    this.bits[id >>> 5]! |= 1 << (id & 31);
  };
}
