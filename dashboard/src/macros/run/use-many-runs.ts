import { useEffect, useRef, useState } from 'react';
import { randomId } from '../../../../browser/random-id.ts';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import type { Macro } from '../../../../contract/macros.ts';
import { describeError, OfflineError } from '../../data/errors.ts';
import { hear } from '../../data/store/entities.ts';
import { selection } from '../../inbox/lifecycle/selection.ts';
import { t, tn } from '../../texts/texts.ts';
import { toast } from '../../ui/overlays/toast.tsx';
import { previewMacro, runMacro } from '../macro-data.ts';
import { problemText } from '../step-words.ts';

export interface NotRun {
  session: InboxSession;
  why: string;
}

export type RunKeys = (macro: Macro, session: InboxSession) => string;

/** One for each run that a dialog may send: after a lost response the service carries the same run out once. */
export function createRunKeys(): RunKeys {
  const keys = new Map<string, string>();
  return ({ id, updatedAt }, { sessionId }) => {
    const run = JSON.stringify([id, updatedAt, sessionId]);
    const key = keys.get(run) ?? randomId();
    keys.set(run, key);
    return key;
  };
}

/** Checked first, then run, a few at a time. What is refused leaves the others alone. */
export function useManyRuns(macro: Macro, sessions: readonly InboxSession[], keyFor: RunKeys) {
  const [phase, setPhase] = useState<'checking' | 'checked' | 'running' | 'done'>('checking');
  const [progress, setProgress] = useState(0);
  const [ready, setReady] = useState<readonly InboxSession[]>([]);
  const [done, setDone] = useState(0);
  const [refused, setRefused] = useState<readonly NotRun[]>([]);
  const [unknown, setUnknown] = useState<readonly NotRun[]>([]);

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
  const run = async (wanted: readonly InboxSession[]) => {
    const stop = new AbortController();
    stopped.current = stop;
    setPhase('running');
    setProgress(0);
    setReady(wanted);
    setUnknown([]);
    const results = await eachOf(wanted, stop.signal, async (session) => {
      const result = await runIn(macro, session, keyFor(macro, session), stop.signal);
      setProgress((before) => before + 1);
      return result;
    });
    const ran = done + results.filter((result) => result === null).length;
    const failed = results.filter((result) => result !== null);
    const lost = failed.filter(({ isUnknown }) => isUnknown);
    if (stop.signal.aborted) {
      const text = tn('macros.many.stopped', ran);
      toast.show(lost.length > 0 ? `${text} ${tn('macros.many.unknownStopped', lost.length)}` : text);
    }
    setDone(ran);
    setUnknown(lost);
    setRefused([...refused, ...failed.filter(({ isUnknown }) => !isUnknown)]);
    setPhase('done');
    selection.clear();
  };
  return {
    phase,
    progress,
    ready,
    done,
    refused,
    unknown,
    run: () => void run(ready),
    runAgain: () => void run(unknown.map(({ session }) => session)),
  };
}

const retriesMs = [1_000, 3_000];

/** Null: it ran. A lost response leaves open whether it did; the same key makes it safe to send it again. */
async function runIn(
  macro: Macro,
  session: InboxSession,
  key: string,
  signal: AbortSignal,
): Promise<(NotRun & { isUnknown: boolean }) | null> {
  for (let attempt = 0; ; attempt++) {
    try {
      hear('session', (await runMacro(macro, session.sessionId, key)).session);
      return null;
    } catch (error) {
      const isUnknown = error instanceof OfflineError;
      const waitMs = retriesMs[attempt];
      if (!isUnknown || waitMs === undefined || signal.aborted)
        return { session, isUnknown, why: isUnknown ? t('macros.many.noAnswer') : describeError(error).text };
      await new Promise((resolve) => setTimeout(resolve, waitMs));
    }
  }
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
