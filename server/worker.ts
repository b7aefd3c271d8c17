/** The explicit list of background work. A kind without exactly one handler is an error at start. */
import type { ServiceContext } from './context.ts';
import { pruneLogins } from './features/accounts/accounts.ts';
import { replyHandler } from './features/ai-replies/ai-replies.jobs.ts';
import { pictureHandler, tidyUploadHandler } from './features/attachments/attachments.jobs.ts';
import { pictureJobKind, pruneFiles, tidyUploadJobKind } from './features/attachments/attachments.ts';
import { importHandler } from './features/imports/imports.jobs.ts';
import { importJobKind, pruneImports } from './features/imports/imports.ts';
import { pruneEarlyReceipts, replyJobKind } from './features/messages/messages.ts';
import { pruneLive, pushHandler, pushJobKind, startNotifier } from './features/realtime/realtime.jobs.ts';
import { deletedFieldHandler, deletedFieldJobKind, startLookupIndexing } from './features/records/records.ts';
import { createRollUp } from './features/reports/reports.jobs.ts';
import { pruneDeletions } from './features/search/search.ts';
import { startVoiceJobs } from './features/voice/voice.jobs.ts';
import { createInboxDoor, pruneInboxes } from './features/webhook-inbox/webhook-inbox.ts';
import { disableFailing, pruneWebhooks, startDeliverer } from './features/webhooks/webhooks.ts';
import { pruneUploadUsage } from './features/widget-api/widget-api.ts';
import { pruneIdempotencyKeys } from './platform/idempotency.ts';
import { enqueue, instanceAccountId, type JobHandler, type JobsOptions, startJobs } from './platform/jobs.ts';
import { pruneRateLimits } from './platform/rate-limit.ts';

const housekeepingEveryMs = 5 * 60_000;
const earlyReceiptsForMs = 10 * 60_000;
/** An import runs for minutes: in the places of the others, a few dozen would keep every reply waiting. */
const importsAtOnce = 2;
/** A reply waits for its model most of the time; other work must not wait for it. */
const concurrency = 32;

export interface Worker {
  stop(): Promise<void>;
}

export async function startWorker(context: ServiceContext): Promise<Worker> {
  const { db, logger, metrics } = context;
  const handlers = collectHandlers([
    ['housekeeping', housekeeping(context)],
    [replyJobKind, replyHandler(context)],
    [pictureJobKind, pictureHandler(context)],
    [tidyUploadJobKind, tidyUploadHandler(context)],
    [pushJobKind, pushHandler(context)],
    [deletedFieldJobKind, deletedFieldHandler(context)],
  ]);
  await db.transaction((tx) => enqueueHousekeeping(tx, 0));
  const notifier = await startNotifier(context);
  const onFinished: JobsOptions['onFinished'] = (kind, outcome) => {
    metrics.jobsFinished.inc({ kind, outcome });
    notifier.announce();
  };
  const jobs = startJobs({
    db,
    logger,
    handlers,
    concurrency,
    onFinished,
  });
  const imports = startJobs({
    db,
    logger,
    handlers: { [importJobKind]: importHandler(context) },
    concurrency: importsAtOnce,
    onFinished,
  });
  const deliverer = await startDeliverer({
    ...context,
    sendInside: createInboxDoor(context),
    onAttempt: (outcome, durationMs) => metrics.webhookAttempts.observe({ outcome }, durationMs / 1000),
  });
  const lookupIndexing = startLookupIndexing(context);
  const voice = await startVoiceJobs(context, onFinished);
  return {
    async stop() {
      await Promise.all([jobs.stop(), imports.stop(), deliverer.stop(), lookupIndexing.stop(), voice.stop()]);
      await notifier.stop();
    },
  };
}

export function collectHandlers(entries: readonly (readonly [string, JobHandler])[]): {
  [kind: string]: JobHandler;
} {
  const handlers: { [kind: string]: JobHandler } = {};
  for (const [kind, handler] of entries) {
    if (handlers[kind]) throw new Error(`two handlers for jobs of the kind ${kind}`);
    handlers[kind] = handler;
  }
  return handlers;
}

/** What has had its time is removed; the job puts its next run into the same transaction that ends it. */
function housekeeping(context: ServiceContext): JobHandler {
  const { db, clock, logger } = context;
  const rollUp = createRollUp(db);
  return async (job) => {
    await pruneIdempotencyKeys(db);
    await pruneRateLimits(db);
    await pruneLogins(db, clock.now());
    await pruneDeletions(db);
    await disableFailing(db, clock.now());
    await pruneWebhooks(db, clock.now());
    await pruneInboxes(db, clock.now());
    await pruneUploadUsage(db, clock.now());
    await pruneLive(db, clock.now());
    await pruneEarlyReceipts(db, clock.now() - earlyReceiptsForMs);
    await rollUp(clock.now()).catch((error) =>
      logger.warn({ err: error }, 'figures for reports could not be worked out; reports read the messages'),
    );
    // A store that is away must not keep the rest from being tidied; the next round tries again.
    await pruneFiles(context).catch((error) =>
      logger.warn({ err: error }, 'unused files could not be removed'),
    );
    await pruneImports(context).catch((error) =>
      logger.warn({ err: error }, 'old imports could not be removed'),
    );
    await db.transaction(async (tx) => {
      await job.complete(tx);
      await enqueueHousekeeping(tx, housekeepingEveryMs);
    });
  };
}

function enqueueHousekeeping(tx: Parameters<typeof enqueue>[0], delayMs: number): Promise<void> {
  return enqueue(tx, { accountId: instanceAccountId, kind: 'housekeeping', dedupeKey: 'one', delayMs });
}
