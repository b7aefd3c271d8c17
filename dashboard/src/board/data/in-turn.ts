/**
 * Writes to the same thing are sent one after the other: two that are under way could arrive in the other order. A failed
 * one does not hold up the next.
 */
import { ApiError } from '../../data/errors.ts';
import { beforeSignOut, sessionState } from '../../data/session.ts';

/** By thing: the last write to it. */
const last = new Map<string, Promise<unknown>>();
let waiting = 0;

const userNow = () => {
  const session = sessionState();
  return session.kind === 'signedIn' ? session.signedIn.user.id : null;
};

/** Sends when all earlier writes to each of `things` have ended. */
export function inTurn<T>(things: readonly string[], send: () => Promise<T>): Promise<T> {
  const user = userNow();
  const earlier = things.flatMap((thing) => last.get(thing) ?? []);
  const run = async () => {
    if (earlier.length > 0) {
      waiting++;
      await Promise.allSettled(earlier);
      waiting--;
      // Never in the name of somebody else.
      if (userNow() !== user) throw new ApiError(401, 'UNAUTHORIZED', '', '');
    }
    return send();
  };
  const mine = run();
  for (const thing of things) last.set(thing, mine);
  const end = () => {
    for (const thing of things) if (last.get(thing) === mine) last.delete(thing);
  };
  mine.then(end, end);
  return mine;
}

beforeSignOut(async () => {
  await Promise.allSettled(last.values());
});
// What waits for its turn would be lost with the page.
addEventListener('beforeunload', (event) => {
  if (waiting > 0) event.preventDefault();
});
