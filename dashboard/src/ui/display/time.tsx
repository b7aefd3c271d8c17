import { useEffect, useState } from 'react';
import { fullDate, relativeTime, timeAgo } from '../../texts/format.ts';
import { Tooltip } from '../overlays/tooltip.tsx';

const listeners = new Set<() => void>();
let isTicking = false;

/** One clock for all of them: a thousand timers would wake the page a thousand times. */
function onMinute(listener: () => void): () => void {
  listeners.add(listener);
  if (!isTicking) {
    isTicking = true;
    setInterval(() => {
      for (const each of listeners) each();
    }, 30_000);
  }
  return () => listeners.delete(listener);
}

/** Renders again about every half minute. */
export function useMinutes(): void {
  const [, tick] = useState(0);
  useEffect(() => onMinute(() => tick((n) => n + 1)), []);
}

export interface TimeProps {
  at: number;
  /** In words, "5 min. ago" instead of "5m". */
  ago?: boolean;
  tip?: boolean;
  className?: string;
}

/** How long ago, with the whole date on hover. */
export function Time({ at, ago = false, tip = true, className }: TimeProps) {
  useMinutes();
  const time = (
    <time dateTime={new Date(at).toISOString()} className={className}>
      {ago ? timeAgo(at) : relativeTime(at)}
    </time>
  );
  return tip ? <Tooltip text={fullDate(at)}>{time}</Tooltip> : time;
}
