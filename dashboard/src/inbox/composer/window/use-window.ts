/** Until when the customer may be answered with a text of one's own. */
import { useEffect, useState } from 'react';
import type { InboxSession } from '../../../../../contract/dashboard.ts';

export interface ReplyWindow {
  /** Null: the channel has no such limit. */
  closesAt: number | null;
  isClosed: boolean;
  minutesLeft: number;
}

const minute = 60_000;

/** Of people, which may be longer than that of replies of the AI. */
export const closesAtOf = ({ personWindowClosesAt, windowClosesAt }: InboxSession): number | null =>
  personWindowClosesAt ?? windowClosesAt;

export const useWindow = (session: InboxSession): ReplyWindow => useClosing(closesAtOf(session));

export function useClosing(closesAt: number | null): ReplyWindow {
  const [, tick] = useState(0);
  useEffect(() => {
    if (closesAt === null) return;
    let timer: ReturnType<typeof setTimeout>;
    // Each whole minute that is left, and the last moment itself.
    const wait = () => {
      const left = closesAt - Date.now();
      if (left <= 0) return;
      timer = setTimeout(
        () => {
          tick((n) => n + 1);
          wait();
        },
        (left % minute) + 1,
      );
    };
    wait();
    return () => clearTimeout(timer);
  }, [closesAt]);
  const left = closesAt === null ? Number.POSITIVE_INFINITY : closesAt - Date.now();
  return { closesAt, isClosed: left <= 0, minutesLeft: Math.max(0, Math.ceil(left / minute)) };
}
