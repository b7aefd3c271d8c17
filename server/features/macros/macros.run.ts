/**
 * Runs a macro on a conversation, or shows what a run would do. Each step is the same function as the single action, in
 * one open transaction, so a run does everything or nothing. A preview is the same run, rolled back.
 */
import type { CrmRecord } from '../../../contract/crm/records.ts';
import { limits } from '../../../contract/limits.ts';
import type {
  Macro,
  MacroPreview,
  MacroPreviewBody,
  MacroProblem,
  MacroRun,
  MacroRunBody,
  MacroStep,
} from '../../../contract/macros.ts';
import type { Session } from '../../../contract/messaging/sessions.ts';
import type { Db, Reader, Tx } from '../../platform/db/db.ts';
import { AppError, badRequest, conflict } from '../../platform/http/errors.ts';
import { may, type UserActor } from '../accounts/accounts.ts';
import type { AccountConfig, AccountConfigCache } from '../channels/channels.ts';
import { requireRecord } from '../records/records.ts';
import { ContactBlocked, requireOpenSession, requireSession } from '../sessions/sessions.ts';
import { executeStep } from './macros.execute.ts';
import { type Filled, fillText } from './macros.fill.ts';
import { problemOf } from './macros.steps.ts';
import { requireMacro } from './macros.ts';

export interface MacroContext {
  actor: UserActor;
  now: number;
  visible: string[] | null;
  accountConfig: AccountConfigCache;
}

export interface MacroPlace {
  sessionId: string;
  macroId: string;
}

/** A run in progress. */
export interface Running extends Omit<MacroContext, 'accountConfig'> {
  config: AccountConfig;
  session: Session;
  /** The conversation's card, as the steps so far have left it. */
  record: CrmRecord | null;
  body: MacroRunBody;
}

interface StepOutcome {
  state: 'done' | 'unchanged' | 'not_applicable' | 'problem';
  messageId: string | null;
  filled: Filled | null;
  problem: MacroProblem | null;
  /** What a step threw. */
  error?: AppError;
}

export async function runMacro(
  tx: Tx,
  context: MacroContext,
  place: MacroPlace,
  body: MacroRunBody,
): Promise<MacroRun> {
  const { actor, visible } = context;
  const macro = await requireMacro(tx, actor, place.macroId);
  const { expectedUpdatedAt = macro.updatedAt } = body;
  if (expectedUpdatedAt !== macro.updatedAt) throw conflict('the macro has changed meanwhile');
  checkTexts(macro, body);
  return withRunning(tx, context, place.sessionId, body, (running) =>
    // Some steps end with a statement that commits a rule with it, unless the rule is inside a savepoint.
    tx.savepoint(async () => {
      const steps: MacroRun['steps'] = [];
      for (const [index, step] of macro.steps.entries()) {
        const { state, messageId, problem, error } = await runStep(tx, running, step, index);
        if (problem && state === 'problem') throw refusalOf(index, problem, error);
        steps.push({ type: step.type, state: state as MacroRun['steps'][number]['state'], messageId });
      }
      const session = await requireSession(tx, actor, visible, place.sessionId);
      return { macroId: macro.id, sessionId: place.sessionId, steps, session };
    }),
  );
}

class PreviewEnd extends Error {}

export async function previewMacro(
  db: Db,
  context: MacroContext,
  place: MacroPlace,
  body: MacroPreviewBody,
): Promise<MacroPreview> {
  let preview: MacroPreview | undefined;
  try {
    await db.transaction(async (tx) => {
      const macro = await requireMacro(tx, context.actor, place.macroId);
      preview = await withRunning(tx, context, place.sessionId, body, async (running) => {
        const steps = await rolledBack(tx, () => previewSteps(tx, { ...running }, macro));
        // What only a step before it does is not so yet.
        for (const [index, step] of macro.steps.entries()) {
          if (steps[index]!.state !== 'unchanged' || index === 0) continue;
          const alone = await rolledBack(tx, () => runStep(tx, { ...running }, step, index));
          if (alone.state === 'done') steps[index]!.state = 'ready';
        }
        const canRun = steps.every(({ state }) => state !== 'problem');
        return { macro, sessionId: place.sessionId, canRun, steps };
      });
      throw new PreviewEnd();
    });
  } catch (error) {
    if (!(error instanceof PreviewEnd)) throw error;
  }
  return preview!;
}

async function previewSteps(tx: Tx, running: Running, macro: Macro): Promise<MacroPreview['steps']> {
  const steps: MacroPreview['steps'] = [];
  for (const [index, step] of macro.steps.entries()) {
    const { state, filled, problem } = await tx.savepoint(() => runStep(tx, running, step, index));
    steps.push({
      type: step.type,
      state: state === 'done' ? 'ready' : state,
      text: filled?.text ?? null,
      unfilled: filled?.unfilled ?? [],
      problem,
    });
  }
  return steps;
}

async function rolledBack<T>(tx: Tx, run: () => Promise<T>): Promise<T> {
  let result: { value: T } | undefined;
  try {
    await tx.savepoint(async () => {
      result = { value: await run() };
      throw new PreviewEnd();
    });
  } catch (error) {
    if (!(error instanceof PreviewEnd)) throw error;
  }
  return result!.value;
}

/** The conversation is locked before the configuration, as everywhere. */
async function withRunning<T>(
  tx: Tx,
  { accountConfig, ...context }: MacroContext,
  sessionId: string,
  body: MacroRunBody,
  run: (running: Running) => Promise<T>,
): Promise<T> {
  const { actor, visible } = context;
  checkTimeZone(body.timeZone);
  await requireOpenSession(tx, actor, visible, sessionId);
  return accountConfig.withAccountConfig(tx, actor.accountId, async (config) => {
    const session = await requireSession(tx, actor, visible, sessionId);
    const record = may(actor, 'records.view') ? await findCard(tx, actor, visible, session.recordId) : null;
    return run({ ...context, config, session, record, body });
  });
}

async function findCard(
  db: Reader,
  actor: UserActor,
  visible: string[] | null,
  recordId: string | null,
): Promise<CrmRecord | null> {
  if (recordId === null) return null;
  try {
    return await requireRecord(db, actor, visible, recordId);
  } catch (error) {
    if (error instanceof AppError && error.status === 404) return null;
    throw error;
  }
}

async function runStep(tx: Tx, running: Running, step: MacroStep, index: number): Promise<StepOutcome> {
  const outcome = { messageId: null, filled: textOf(running, step, index), problem: null };
  const skipped = whyNotApplicable(running, step);
  if (skipped) return { ...outcome, state: 'not_applicable', problem: skipped };
  const { definitions } = running.config;
  const problem =
    textProblem(outcome.filled) ?? (await problemOf(tx, running.actor.accountId, definitions, step));
  if (problem) return { ...outcome, state: 'problem', problem };
  const emitted = tx.emitted.length;
  try {
    const messageId = await executeStep(tx, running, step, outcome.filled?.text ?? '');
    // Every change but a message emits an event.
    const isDone = messageId !== null || tx.emitted.length > emitted;
    return { ...outcome, state: isDone ? 'done' : 'unchanged', messageId };
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    return { ...outcome, state: 'problem', problem: problemFrom(step, error), error };
  }
}

function whyNotApplicable({ record, config }: Running, { kanbanId }: MacroStep): MacroProblem | null {
  // A board that was deleted is a problem, not another board.
  if (kanbanId === undefined || !config.definitions.kanbans.has(kanbanId)) return null;
  if (!record) return { kind: 'no_card', field: 'kanbanId', message: 'the conversation has no card' };
  if (record.kanbanId === kanbanId) return null;
  return {
    kind: 'other_board',
    field: 'kanbanId',
    message: 'the card of the conversation is on another board',
  };
}

/** The text of a step: as the caller changed it, else filled in. */
function textOf(running: Running, step: MacroStep, index: number): Filled | null {
  if (step.text === undefined) return null;
  const given = running.body.texts?.find((one) => one.step === index);
  if (given) return { text: given.text, unfilled: [] };
  const { session, record, config, actor, body } = running;
  const { definitions } = config;
  return fillText(step.text, {
    session,
    record,
    operator: actor.name,
    kanban: definitions.kanbans.get(session.kanbanId),
    language: body.language ?? definitions.language,
    timeZone: body.timeZone ?? 'UTC',
  });
}

function textProblem(filled: Filled | null): MacroProblem | null {
  if (!filled) return null;
  if (filled.unfilled.length > 0) {
    const names = filled.unfilled.join(', ');
    return { kind: 'unfilled', field: 'text', message: `text has placeholders without a value: ${names}` };
  }
  if (filled.text.length > limits.messageLength && [...filled.text].length > limits.messageLength) {
    const message = `text must have at most ${limits.messageLength} characters`;
    return { kind: 'too_long', field: 'text', message };
  }
  return null;
}

function problemFrom({ type }: MacroStep, error: AppError): MacroProblem {
  if (error instanceof ContactBlocked) return { kind: 'blocked', field: null, message: error.message };
  // The user exists: that was checked before.
  const isHidden = type === 'assign' && error.message.startsWith('assignedUserId ');
  if (isHidden) return { kind: 'hidden_board', field: 'assignedUserId', message: error.message };
  return { kind: 'refused', field: null, message: error.message };
}

/** The request is right, but not for this conversation now. A blocked contact has a response of its own. */
function refusalOf(index: number, { field, message }: MacroProblem, error: AppError | undefined): AppError {
  if (error instanceof ContactBlocked) return error;
  return conflict(field === null ? `steps[${index}]: ${message}` : `steps[${index}].${message}`);
}

function checkTexts({ steps }: Macro, { texts = [] }: MacroRunBody): void {
  for (const [index, { step, text }] of texts.entries()) {
    const at = `texts[${index}]`;
    if (steps[step]?.text === undefined)
      throw badRequest(`${at}.step must be the index of a reply or a note`);
    if (texts.findIndex((one) => one.step === step) < index) throw badRequest(`${at}.step is given twice`);
    if (!text.trim()) throw badRequest(`${at}.text must not be empty`);
  }
}

function checkTimeZone(timeZone: string | undefined): void {
  try {
    if (timeZone !== undefined) new Intl.DateTimeFormat('en', { timeZone });
  } catch {
    throw badRequest('timeZone must be an IANA name such as America/Sao_Paulo');
  }
}
