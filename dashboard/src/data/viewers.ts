/** Who has which conversation open. A new connection receives it at once, before the inbox (collisions.ts) is loaded. */
import type { LivePerson } from '../../../contract/realtime.ts';
import { onLive } from './live.ts';

export const viewers = new Map<string, readonly LivePerson[]>();

onLive('presence', ({ sessionId, people }) => {
  if (sessionId === null) return;
  if (people.length > 0) viewers.set(sessionId, people);
  else viewers.delete(sessionId);
});

// A new connection receives it again.
onLive('hello', () => viewers.clear());
