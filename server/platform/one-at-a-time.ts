/** Runs with the same key stand in a line within this process; runs with other keys do not wait for them. */
export type OneAtATime = <T>(key: string, run: () => Promise<T>) => Promise<T>;

export function createOneAtATime(): OneAtATime {
  const last = new Map<string, Promise<void>>();
  return (key, run) => {
    const result = (last.get(key) ?? Promise.resolve()).then(run);
    const done: Promise<void> = result
      .then(
        () => {},
        () => {},
      )
      .then(() => {
        if (last.get(key) === done) last.delete(key);
      });
    last.set(key, done);
    return result;
  };
}
