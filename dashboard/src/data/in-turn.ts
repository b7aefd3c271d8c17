/** Writes to the same thing are sent one after the other: two that are under way could arrive in the other order. */
const last = new Map<string, Promise<unknown>>();

/** Sends when the earlier ones of `what` have ended, whether they succeeded or not. */
export function inTurn<T>(what: string, send: () => Promise<T>): Promise<T> {
  const mine = (last.get(what) ?? Promise.resolve()).then(send, send);
  last.set(what, mine);
  const end = () => {
    if (last.get(what) === mine) last.delete(what);
  };
  mine.then(end, end);
  return mine;
}
