/** Who else is typing in or viewing a conversation. */
import { useCallback, useEffect, useState } from 'react';
import type { LivePerson, LiveSignals } from '../../../../contract/realtime.ts';
import { sendLive, setViewing, useLive } from '../../data/live.ts';
import { useSignedIn } from '../../data/session.ts';
import { t } from '../../texts/texts.ts';

const forgottenMs = 6_000;
const repeatMs = 3_000;

export function TypingLine({ sessionId }: { sessionId: string }) {
  const writers = useWriters(sessionId);
  return (
    <div aria-live="polite" className="flex h-5 items-center gap-2 px-1 text-sm text-muted">
      {writers.length > 0 && (
        <>
          <span aria-hidden className="flex gap-0.5">
            {[0, 150, 300].map((delay) => (
              <span
                key={delay}
                style={{ animationDelay: `${delay}ms` }}
                className="size-1 animate-bounce rounded-full bg-current"
              />
            ))}
          </span>
          {writers
            .map((name) => (name === null ? t('inbox.typing.customer') : t('inbox.typing.one', { name })))
            .join(' ')}
        </>
      )}
    </div>
  );
}

/** Names; null is the customer. */
function useWriters(sessionId: string): (string | null)[] {
  const { user } = useSignedIn();
  const [writers, setWriters] = useState<{ id: string; name: string | null; at: number }[]>([]);
  useLive(
    'typing',
    useCallback(
      ({ sessionId: where, person, isTyping }: LiveSignals['typing']) => {
        if (where !== sessionId || person?.id === user.id) return;
        const id = person?.id ?? 'customer';
        setWriters((before) => [
          ...before.filter((one) => one.id !== id),
          ...(isTyping ? [{ id, name: person?.name ?? null, at: Date.now() }] : []),
        ]);
      },
      [sessionId, user.id],
    ),
  );
  useEffect(() => {
    const [oldest] = writers;
    if (!oldest) return;
    const timer = setTimeout(
      () => setWriters((before) => before.filter(({ at }) => Date.now() - at < forgottenMs)),
      Math.max(0, oldest.at + forgottenMs - Date.now()) + 50,
    );
    return () => clearTimeout(timer);
  }, [writers]);
  return writers.map(({ name }) => name);
}

/** Who else is viewing this conversation. */
export function useViewers(sessionId: string): LivePerson[] {
  const { user } = useSignedIn();
  const [people, setPeople] = useState<LivePerson[]>([]);
  useEffect(() => {
    setPeople([]);
    setViewing({ sessionId });
    return () => setViewing({});
  }, [sessionId]);
  useLive(
    'presence',
    useCallback((presence) => presence.sessionId === sessionId && setPeople(presence.people), [sessionId]),
  );
  return people.filter(({ id }) => id !== user.id);
}

/** Reports to the team that someone is typing: at once, then every few seconds, and when they stop. */
export function createTypingReporter(sessionId: string) {
  let reportedAt = 0;
  return {
    wrote(): void {
      if (Date.now() - reportedAt < repeatMs) return;
      if (sendLive({ type: 'typing', sessionId, isTyping: true })) reportedAt = Date.now();
    },
    stopped(): void {
      if (reportedAt === 0) return;
      reportedAt = 0;
      sendLive({ type: 'typing', sessionId, isTyping: false });
    },
  };
}
