/**
 * Audio jobs, in separate queues: transcription takes seconds and must not delay replies. A job works outside any
 * transaction and commits its result together with its own end, so that a killed worker leaves either the job or its
 * result.
 */
import { type JobsOptions, startJobs } from '../../../platform/jobs/jobs.ts';
import { convertJobKind, transcribeJobKind } from '../messages.voice.ts';
import { convertHandler } from './voice.convert.ts';
import { removeOldScratch } from './voice.scratch.ts';
import { transcribeHandler } from './voice.transcribe.ts';
import type { VoiceContext } from './voice.ts';

const conversionsAtOnce = 2;

export async function startVoiceJobs(
  context: VoiceContext,
  onFinished: JobsOptions['onFinished'],
): Promise<{ kinds: string[]; stop(): Promise<void> }> {
  const { db, logger, converter, recogniser } = context;
  await removeOldScratch();
  const conversion = startJobs({
    db,
    logger,
    onFinished,
    handlers: { [convertJobKind]: convertHandler(context) },
    concurrency: conversionsAtOnce,
  });
  const transcription = startJobs({
    db,
    logger,
    onFinished,
    handlers: { [transcribeJobKind]: transcribeHandler(context) },
    concurrency: recogniser.concurrency,
  });
  return {
    kinds: [...conversion.kinds, ...transcription.kinds],
    async stop() {
      const ended = Promise.all([conversion.stop(), transcription.stop()]);
      // Running work may take minutes: it is aborted, and its job is found again after the next start.
      await Promise.all([recogniser.close(), converter.close()]);
      await ended;
    },
  };
}
