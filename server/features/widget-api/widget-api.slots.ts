/** Limits how many connections share a key. In memory, so the limit applies per process. */
export interface Slots {
  /** False: the limit is reached, and nothing was taken. */
  take(key: string): boolean;
  release(key: string): void;
}

export function createSlots(limit: number): Slots {
  const taken = new Map<string, number>();
  return {
    take(key) {
      const count = taken.get(key) ?? 0;
      if (count >= limit) return false;
      taken.set(key, count + 1);
      return true;
    },
    release(key) {
      const count = taken.get(key) ?? 0;
      if (count > 1) taken.set(key, count - 1);
      else taken.delete(key);
    },
  };
}
