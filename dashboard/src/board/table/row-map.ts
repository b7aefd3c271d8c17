/** Which row of which group is shown where: groups with a header each, folded or not, without a list of all rows. */
export interface MappedGroup {
  count: number;
  isFolded: boolean;
}

export type RowPlace =
  | { kind: 'group'; group: number }
  /** `position` counts the rows of the group. */
  | { kind: 'row'; group: number; position: number };

export class RowMap {
  readonly length: number;
  readonly #groups: readonly MappedGroup[];
  readonly #headers: 0 | 1;
  /** Where each group begins. */
  readonly #starts: number[] = [];

  /** Without headers there is one group: everything. */
  constructor(groups: readonly MappedGroup[], hasHeaders: boolean) {
    this.#groups = groups;
    this.#headers = hasHeaders ? 1 : 0;
    let length = 0;
    for (const { count, isFolded } of groups) {
      this.#starts.push(length);
      length += this.#headers + (isFolded ? 0 : count);
    }
    this.length = length;
  }

  at(index: number): RowPlace | null {
    if (index < 0 || index >= this.length) return null;
    let [low, high] = [0, this.#starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#starts[middle]! <= index) low = middle;
      else high = middle - 1;
    }
    const position = index - this.#starts[low]! - this.#headers;
    return position < 0 ? { kind: 'group', group: low } : { kind: 'row', group: low, position };
  }

  /** Of a row that is shown; -1 in a folded group. */
  indexOf(group: number, position: number): number {
    const one = this.#groups[group];
    if (!one || one.isFolded || position < 0 || position >= one.count) return -1;
    return this.#starts[group]! + this.#headers + position;
  }
}
