import { useEffect, useRef, useState } from 'react';
import { randomId } from '../../../../browser/random-id.ts';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import type { Macro } from '../../../../contract/macros.ts';
import { describeError } from '../../data/errors.ts';
import { placeSession } from '../../inbox/data/inbox-cache.ts';
import { selection } from '../../inbox/lifecycle/selection.ts';
import { tn } from '../../texts/texts.ts';
import { toast } from '../../ui/overlays/toast.tsx';
import { previewMacro, runMacro } from '../macro-data.ts';
import { problemText } from '../step-words.ts';

interface Refused {
  session: InboxSession;
  why: string;
}

/** Checked first, then run, a few at a time. What is refused leaves the others alone. */
export function useManyRuns(macro: Macro, sessions: readonly InboxSession[]) {
  const [phase, setPhase] = useState<'checking' | 'checked' | 'running' | 'done'>('checking');
  const [progress, setProgress] = useState(0);
  const [ready, setReady] = useState<readonly InboxSession[]>([]);
  const [done, setDone] = useState(0);
  const [refused, setRefused] = useState<readonly Refused[]>([]);

  useEffect(() => {
    const stop = new AbortController();
    void eachOf(sessions, stop.signal, async (session) => {
      const why = await whyNot(macro, session, stop.signal);
      setProgress((before) => before + 1);
      return why;
    }).then((whys) => {
      if (stop.signal.aborted) return;
      setReady(sessions.filter((_, index) => whys[index] === null));
      setRefused(sessions.flatMap((session, index) => (whys[index] ? { session, why: whys[index] } : [])));
      setPhase('checked');
    });
    return () => {
      stop.abort();
      setProgress(0);
    };
  }, [macro, sessions]);

  // Closing the dialog ends the run after the conversations that are under way.
  const stopped = useRef<AbortController>(null);
  useEffect(() => () => stopped.current?.abort(), []);
  const run = async () => {
    const stop = new AbortController();
    stopped.current = stop;
    setPhase('running');
    setProgress(0);
    const failed = await eachOf(ready, stop.signal, async (session) => {
      try {
        const run = await runMacro(macro, session.sessionId, randomId());
        placeSession(run.session);
        return null;
      } catch (error) {
        return { session, why: describeError(error).text };
      } finally {
        setProgress((before) => before + 1);
      }
    });
    const bad = failed.filter((one) => one !== null);
    const ran = failed.length - bad.length;
    if (stop.signal.aborted) toast.show(tn('macros.many.stopped', ran));
    setDone(ran);
    setRefused([...refused, ...bad]);
    setPhase('done');
    selection.clear();
  };
  return { phase, progress, ready, done, refused, run: () => void run() };
}

async function whyNot(
  macro: Macro,
  { sessionId }: InboxSession,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    const { steps } = await previewMacro(macro.id, sessionId, signal);
    const problem = steps.find(({ state }) => state === 'problem')?.problem;
    return problem ? problemText(problem) : null;
  } catch (error) {
    return signal.aborted ? null : describeError(error).text;
  }
}

/** The service answers other people meanwhile. */
const atOnce = 3;

async function eachOf<T, R>(
  items: readonly T[],
  signal: AbortSignal,
  act: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const work = async () => {
    while (next < items.length && !signal.aborted) {
      const at = next++;
      results[at] = await act(items[at]!);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}
