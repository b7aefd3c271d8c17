/** The explicit list of background work. A kind without exactly one handler is an error at start. */
import type { ServiceContext } from './context.ts';
import { accountDeletionJobKind, pruneLogins, releaseOwnersJobKind } from './features/accounts/accounts.ts';
import { testRunHandler } from './features/agent-tests/agent-tests.jobs.ts';
import { testRunJobKind } from './features/agent-tests/agent-tests.ts';
import { compilePatterns, questionWords, replyHandler } from './features/ai-replies/ai-replies.jobs.ts';
import {
  expiredCallHandler,
  expiredCallJobKind,
  toolCallHandler,
  toolCallJobKind,
} from './features/ai-replies/ai-replies.tool-calls.jobs.ts';
import {
  erasedFilesHandler,
  pictureHandler,
  tidyUploadHandler,
} from './features/attachments/attachments.jobs.ts';
import {
  erasedFilesJobKind,
  pictureJobKind,
  pruneFiles,
  tidyUploadJobKind,
} from './features/attachments/attachments.ts';
import { startAutomations } from './features/automations/automations.jobs.ts';
import { backtestJobKind, pruneAutomations } from './features/automations/automations.ts';
import { backtestHandler } from './features/automations/trying/trying.jobs.ts';
import { pruneConnectors, startConnectors } from './features/connectors/connectors.jobs.ts';
import { startContactBackfill } from './features/contacts/contacts.jobs.ts';
import { pruneVoters } from './features/help-center/help-center.ts';
import { importHandler } from './features/imports/imports.jobs.ts';
import { importJobKind, pruneImports } from './features/imports/imports.ts';
import { backupHandler } from './features/instance/backups.jobs.ts';
import { backupJobKind, enqueueDueBackup } from './features/instance/instance.ts';
import { embeddingHandler } from './features/knowledge/embeddings/knowledge.embeddings.jobs.ts';
import { knowledgeFileHandler } from './features/knowledge/files/knowledge.files.jobs.ts';
import {
  embeddingJobKind,
  endedRunJobKind,
  knowledgeFileJobKind,
  knowledgeGapsHandler,
  knowledgeGapsJobKind,
  pruneHosts,
  scheduledSyncJobKind,
  sourceRemovalJobKind,
  syncJobKind,
} from './features/knowledge/knowledge.ts';
import { sourceRemovalHandler } from './features/knowledge/sources/knowledge.sources.jobs.ts';
import { endedRunHandler } from './features/knowledge/websites/knowledge.ended-runs.jobs.ts';
import { scheduledSyncHandler, syncHandler } from './features/knowledge/websites/knowledge.websites.jobs.ts';
import { deletedLabelHandler, deletedLabelJobKind } from './features/labels/labels.ts';
import { pruneEarlyReceipts, replyJobKind, transcriptJobKind } from './features/messages/messages.ts';
import {
  scheduledHandler,
  scheduledJobKind,
  startScheduled,
} from './features/messages/outgoing/messages.scheduled.jobs.ts';
import { transcriptHandler } from './features/messages/transcripts/transcripts.jobs.ts';
import { startVoiceJobs } from './features/messages/voice/voice.jobs.ts';
import { accountDeletionHandler } from './features/privacy/account-deletion/account-deletion.jobs.ts';
import { erasureHandler } from './features/privacy/erasures/erasures.jobs.ts';
import { messageDeletionHandler } from './features/privacy/erasures/erasures.message.jobs.ts';
import {
  enqueueDueRetention,
  erasureJobKind,
  messageDeletionJobKind,
  retentionJobKind,
} from './features/privacy/privacy.ts';
import { retentionHandler } from './features/privacy/retention/retention.jobs.ts';
import {
  pruneLive,
  pushHandler,
  pushJobKind,
  reminderHandler,
  startNotifier,
} from './features/realtime/realtime.jobs.ts';
import {
  deletedFieldHandler,
  deletedFieldJobKind,
  pruneDeletions,
  startLookupIndexing,
} from './features/records/records.ts';
import { createRollUp } from './features/reports/reports.jobs.ts';
import { serviceLevelsHandler, startServiceLevels } from './features/service-levels/service-levels.jobs.ts';
import { serviceLevelsJobKind } from './features/service-levels/service-levels.ts';
import { startAssigner } from './features/sessions/assignment/assignment.jobs.ts';
import { snoozeHandler, snoozeJobKind, startSnoozes } from './features/sessions/sessions.jobs.ts';
import { releaseOwnersHandler } from './features/sessions/sessions.owner.jobs.ts';
import { invitationMailHandler, passwordResetHandler } from './features/sign-in/mail/sign-in.mail.jobs.ts';
import { invitationMailJobKind, passwordResetJobKind, pruneSignIn } from './features/sign-in/sign-in.ts';
import { ruleMailHandler } from './features/steps/steps.jobs.ts';
import { ruleMailJobKind } from './features/steps/steps.ts';
import { reminderJobKind } from './features/tasks/tasks.ts';
import {
  createLocalReceiver,
  disableFailing,
  pruneInboxes,
  pruneWebhooks,
  startDeliverer,
  webhookMetrics,
} from './features/webhooks/webhooks.ts';
import { pruneUploadUsage } from './features/widget-api/widget-api.ts';
import { removeMovedAccounts } from './platform/cells/move/settle.ts';
import { pruneIdempotencyKeys } from './platform/http/idempotency.ts';
import {
  type HousekeepingStep,
  housekeepingHandler,
  housekeepingJobKind,
  startHousekeeping,
} from './platform/jobs/housekeeping.ts';
import { requireOneHandlerEach } from './platform/jobs/job-kinds.ts';
import { jobMetrics } from './platform/jobs/job-metrics.ts';
import { jobTable } from './platform/jobs/jobs.lease.sql.ts';
import { type JobsOptions, startJobs } from './platform/jobs/jobs.ts';
import { startTakeOver } from './platform/jobs/leases.ts';
import { pruneRateLimits } from './platform/limits/rate-limit.ts';

const earlyReceiptsForMs = 10 * 60_000;
/** For work that nobody waits for within a second. */
const seldom = { pollMs: 1_000 };

export interface Worker {
  stop(): Promise<void>;
}

/** What the first jobs would otherwise wait for. */
export function warmUpWorker(): void {
  compilePatterns();
}

export async function startWorker(context: ServiceContext): Promise<Worker> {
  const { db, metrics } = context;
  const { finished: jobsFinished } = jobMetrics(metrics);
  const { attempts } = webhookMetrics(metrics);
  const steps = housekeepingSteps(context);
  await startHousekeeping(db, steps);
  const notifier = await startNotifier(context);
  const onFinished: JobsOptions['onFinished'] = (kind, outcome) => jobsFinished.inc({ kind, outcome });
  const pool = (
    handlers: JobsOptions['handlers'],
    concurrency: number,
    options: Pick<JobsOptions, 'pollMs' | 'runsSuspended'> = {},
  ) => startJobs({ ...context, onFinished, handlers, concurrency, ...options });
  const connectors = startConnectors(context, onFinished);
  const pools = [
    // A reply mostly waits for its model; other work must not wait for it.
    pool(
      {
        [housekeepingJobKind]: housekeepingHandler({ ...context, steps }),
        [replyJobKind]: replyHandler(context),
        [toolCallJobKind]: toolCallHandler(context),
        [expiredCallJobKind]: expiredCallHandler(context),
        [pictureJobKind]: pictureHandler(context),
        [tidyUploadJobKind]: tidyUploadHandler(context),
        [erasedFilesJobKind]: erasedFilesHandler(context),
        [pushJobKind]: pushHandler(context),
        [reminderJobKind]: reminderHandler(context),
        [scheduledJobKind]: scheduledHandler(context),
        [serviceLevelsJobKind]: serviceLevelsHandler(context),
        [snoozeJobKind]: snoozeHandler(context),
        [deletedFieldJobKind]: deletedFieldHandler(context),
        [deletedLabelJobKind]: deletedLabelHandler(context),
        [releaseOwnersJobKind]: releaseOwnersHandler(context),
        [knowledgeGapsJobKind]: knowledgeGapsHandler({ ...context, wordsOf: questionWords }),
      },
      32,
    ),
    pool(
      {
        [sourceRemovalJobKind]: sourceRemovalHandler(context),
        [endedRunJobKind]: endedRunHandler(context),
        [backtestJobKind]: backtestHandler(context),
      },
      2,
      seldom,
    ),
    // An import runs for minutes: among the other jobs, a few dozen would block every reply.
    pool({ [importJobKind]: importHandler(context) }, 2),
    // One at a time is read anyway: a process has one thread for it.
    pool({ [knowledgeFileJobKind]: knowledgeFileHandler(context) }, 1, seldom),
    // It mostly waits for the providers of vectors, one call at a time for each account.
    pool({ [embeddingJobKind]: embeddingHandler(context) }, 8, seldom),
    // A run asks a model hundreds of times, four at a time.
    pool({ [testRunJobKind]: testRunHandler(context) }, 8, seldom),
    // A slow mail server must not keep replies waiting.
    pool(
      {
        [transcriptJobKind]: transcriptHandler(context),
        [invitationMailJobKind]: invitationMailHandler(context),
        [passwordResetJobKind]: passwordResetHandler(context),
        [ruleMailJobKind]: ruleMailHandler(context),
      },
      2,
      seldom,
    ),
    // An erasure reads logs and files: more at once would slow down everything else. A person has a right to it, also if the
    // account is suspended.
    pool(
      {
        [erasureJobKind]: erasureHandler(context),
        [messageDeletionJobKind]: messageDeletionHandler(context),
      },
      1,
      { runsSuspended: true },
    ),
    pool({ [accountDeletionJobKind]: accountDeletionHandler(context) }, 1, seldom),
    // Beside an erasure: it may run for hours at first.
    pool({ [retentionJobKind]: retentionHandler(context) }, 1, seldom),
    pool({ [backupJobKind]: backupHandler(context) }, 1, seldom),
    // A sync mostly waits for its website, for minutes or hours.
    pool({ [syncJobKind]: syncHandler(context) }, 8, seldom),
    pool({ [scheduledSyncJobKind]: scheduledSyncHandler(context) }, 1, seldom),
    await startVoiceJobs(context, onFinished),
    connectors,
  ];
  requireOneHandlerEach(pools.flatMap(({ kinds }) => kinds));
  const deliverer = startDeliverer({
    ...context,
    deliverLocally: createLocalReceiver(context),
    onAttempt: (outcome, durationMs) => attempts.observe({ outcome }, durationMs / 1000),
  });
  const automations = startAutomations(context);
  const parts = [
    ...pools,
    deliverer,
    startLookupIndexing(context),
    startServiceLevels(context),
    startSnoozes(context),
    startScheduled(context),
    startContactBackfill(context),
    startAssigner(context),
    automations,
    startTakeOver(context, [jobTable, deliverer.leased, automations.leased, ...connectors.leased]),
  ];
  return {
    async stop() {
      await Promise.all(parts.map((part) => part.stop()));
      await notifier.stop();
    },
  };
}

/** Each step is independent of the others; its name appears in readiness and metrics. */
function housekeepingSteps(context: ServiceContext): HousekeepingStep[] {
  const { db, clock, logger } = context;
  const rollUp = createRollUp(db, {
    onFailed: (accountId, error) =>
      logger.error({ accountId, err: error }, 'the sums of an account for reports were not computed'),
  });
  return [
    { step: 'idempotency_keys', run: () => pruneIdempotencyKeys(db) },
    { step: 'rate_limits', run: () => pruneRateLimits(db) },
    { step: 'logins', run: () => pruneLogins(db, clock.now()) },
    { step: 'sign_in', run: () => pruneSignIn(db, clock.now()) },
    { step: 'search_deletions', run: () => pruneDeletions(db) },
    { step: 'failing_webhooks', run: () => disableFailing(db, clock.now()) },
    { step: 'webhook_log', run: () => pruneWebhooks(db, clock.now()) },
    { step: 'webhook_inboxes', run: () => pruneInboxes(db, clock.now()) },
    { step: 'widget_upload_usage', run: () => pruneUploadUsage(db, clock.now()) },
    { step: 'knowledge_hosts', run: () => pruneHosts(db) },
    { step: 'help_voters', run: () => pruneVoters(db, clock.now()) },
    { step: 'live_log', run: () => pruneLive(db, clock.now()) },
    { step: 'early_receipts', run: () => pruneEarlyReceipts(db, clock.now() - earlyReceiptsForMs) },
    { step: 'report_figures', run: () => rollUp(clock.now()) },
    { step: 'unused_files', run: () => pruneFiles(context) },
    { step: 'connectors', run: () => pruneConnectors(context) },
    { step: 'imports', run: () => pruneImports(context) },
    { step: 'moved_accounts', run: () => removeMovedAccounts({ db, home: context.instanceDb }) },
    { step: 'backups', run: () => enqueueDueBackup(context, clock.now()) },
    { step: 'automations', run: () => pruneAutomations(db, clock.now()) },
    { step: 'retention', run: () => enqueueDueRetention(db, clock.now()) },
  ];
}
