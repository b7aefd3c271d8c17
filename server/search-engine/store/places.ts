// Where records were put by hand. Only those have an entry; all others have the place of their creation.

import { type Archive, listOfNumbers, listOfTexts } from '../snapshot/archive.ts';
import type { Slot } from './records.ts';

type Place = { at: number; id: string };

/** Of an entry, with its two strings and its share of the map. */
const ENTRY_BYTES = 200;

export class Places {
  readonly #places = new Map<Slot, Place>();

  get byteLength(): number {
    return this.#places.size * ENTRY_BYTES;
  }

  archive(archive: Archive): void {
    let ids: string[] = [];
    archive.array(
      listOfTexts(
        () => Array.from(this.#places.values(), ({ id }) => id),
        (texts) => {
          ids = texts;
        },
      ),
    );
    archive.array(
      listOfNumbers(
        () => [...this.#places].flatMap(([slot, { at }]) => [slot, at]),
        (numbers) => {
          for (const [i, id] of ids.entries())
            this.#places.set(numbers[i * 2]!, { at: numbers[i * 2 + 1]!, id });
        },
      ),
    );
  }

  of(slot: Slot): Place | undefined {
    return this.#places.get(slot);
  }

  /** Whether either record was put by hand. */
  areAny(a: Slot, b: Slot): boolean {
    return this.#places.has(a) || this.#places.has(b);
  }

  set(slot: Slot, place: Place | null): void {
    if (place) this.#places.set(slot, place);
    else if (this.#places.size > 0) this.#places.delete(slot);
  }
}
