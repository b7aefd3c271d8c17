/** Shows operators what visitors type. */
import { createSemaphore } from '../../platform/concurrency/semaphore.ts';
import type { Visitor } from './widget-api.visitor.ts';

const everyMs = 1_000;
/** Each asks the database once. Requests must not wait behind hundreds of them; a notice that comes late is worth nothing. */
const atOnce = 4;
const bounds = { maxWaiting: 500, maxWaitMs: 5_000 };

interface TypingDeps {
  send(visitor: Visitor, isTyping: boolean): Promise<void>;
  /** Reports at most one failure a second, of all visitors together; also of too many notices at once. */
  onError(error: unknown): void;
}

/** At most one notice a second for each visitor, over all their connections; the last one counts. */
export function createTypingNotices({ send, onError }: TypingDeps) {
  /** By visitor: what was said last, within a second of the last notice. */
  const recent = new Map<string, { isTyping: boolean }>();
  const turns = createSemaphore(atOnce, bounds);
  let failedAt = Number.NEGATIVE_INFINITY;
  let isClosed = false;

  const complain = (error: unknown) => {
    if (performance.now() - failedAt < everyMs) return;
    failedAt = performance.now();
    onError(error);
  };
  const tell = (key: string, visitor: Visitor, isTyping: boolean): void => {
    const said = { isTyping };
    recent.set(key, said);
    turns.take(async () => isClosed || send(visitor, isTyping)).catch(complain);
    setTimeout(() => {
      recent.delete(key);
      if (said.isTyping !== isTyping && !isClosed) tell(key, visitor, said.isTyping);
    }, everyMs).unref();
  };

  return {
    say(visitor: Visitor, isTyping: boolean): void {
      if (isClosed) return;
      const key = `${visitor.accountId}/${visitor.sessionId}`;
      const said = recent.get(key);
      if (said) said.isTyping = isTyping;
      else tell(key, visitor, isTyping);
    },
    /** The database stops after the listener, so nothing more is sent. */
    close(): void {
      isClosed = true;
    },
  };
}
