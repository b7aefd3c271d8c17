// Which records a caller may see and asked for, decided once per board and status instead of per record.

import type { SearchIndex } from '../store/index.ts';
import type { Slot } from '../store/records.ts';

export type SearchFilter = {
  kanbanId?: string | undefined;
  status?: string | undefined;
  /** The boards an operator may see; all boards if omitted. */
  openKanbanIds?: string[] | undefined;
  /** By slot: 1 where the conditions hold (columns/conditions.ts); without conditions if omitted. */
  passing?: Uint8Array | undefined;
};

export class RecordFilter {
  readonly #flags: Uint8Array;
  readonly #kanbans: Uint32Array;
  readonly #statuses: Uint32Array;
  readonly #kanbanPasses: Uint8Array;
  readonly #statusPasses: Uint8Array;
  readonly #passing: Uint8Array | null;

  constructor(index: SearchIndex, filter: SearchFilter) {
    const { records } = index;
    this.#flags = records.flags.data;
    this.#kanbans = records.kanbans.data;
    this.#statuses = records.statuses.data;
    this.#passing = filter.passing ?? null;
    this.#kanbanPasses = Uint8Array.from(index.kanbans.all, (id) => {
      if (filter.kanbanId !== undefined && filter.kanbanId !== id) return 0;
      return filter.openKanbanIds === undefined || filter.openKanbanIds.includes(id) ? 1 : 0;
    });
    this.#statusPasses = Uint8Array.from(index.statuses.all, (status) =>
      filter.status === undefined || filter.status === status ? 1 : 0,
    );
  }

  passes(slot: Slot): boolean {
    return (
      (this.#flags[slot]! & 1) !== 0 &&
      this.#kanbanPasses[this.#kanbans[slot]!] === 1 &&
      this.#statusPasses[this.#statuses[slot]!] === 1 &&
      (this.#passing === null || this.#passing[slot] === 1)
    );
  }
}
