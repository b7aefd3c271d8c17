/**
 * Performs one step by the function of the feature that it belongs to. The actor is the user who runs a macro, or a rule.
 * A step that fails has changed nothing, and the transaction goes on.
 */
import type { StepEffect } from '../../../contract/automation/runs.ts';
import { limits } from '../../../contract/limits.ts';
import type { SessionUpdate } from '../../../contract/messaging/sessions.ts';
import type { Permission } from '../../../contract/roles/permissions.ts';
import type { Tx } from '../../platform/db/db.ts';
import { AppError } from '../../platform/http/errors.ts';
import { requireMay } from '../accounts/accounts.ts';
import { createComment } from '../comments/comments.ts';
import { fillTemplate } from '../connectors/connectors.ts';
import { createNote, sendOperatorReply, transferSession } from '../messages/messages.ts';
import { changeRecord, createRecord } from '../records/records.ts';
import { ContactBlocked, changeSession, requireSession, setAiPaused } from '../sessions/sessions.ts';
import { createTask } from '../tasks/tasks.ts';
import { type Filled, fillStep, type Step } from './steps.fill.ts';
import { NobodyToNotify, notify } from './steps.notify.ts';
import { isAboutCard, isAboutSession, problemOf, type StepProblem } from './steps.problems.ts';
import { findCard, type Scene } from './steps.scene.ts';

export interface StepOutcome {
  state: 'done' | 'unchanged' | 'skipped' | 'failed';
  /** Why it was skipped or failed, as a sentence. */
  reason: string | null;
  effects: StepEffect[];
  /** The step with its texts filled in. */
  filled: Filled;
  problem: StepProblem | null;
  /** What the step threw. */
  error?: AppError;
}

const minute = 60_000;

/** As of the route of the single action. Running a macro needs those of its steps too. */
const permissionOf = (type: Step['type']): Permission => {
  if (type === 'note') return 'notes.write';
  return type === 'set_fields' || type === 'set_status' ? 'records.edit' : 'conversations.reply';
};

/**
 * Not for `call`, which waits for others, nor for steps that change nothing. `scene` is left as the next step finds it.
 * `text` is sent as it is, instead of the step's own.
 */
export async function performStep(tx: Tx, scene: Scene, step: Step, text?: string): Promise<StepOutcome> {
  const filled = fillStep(scene, step, text);
  const not = (state: 'skipped' | 'failed', problem: StepProblem, error?: AppError): StepOutcome => ({
    state,
    reason: problem.message,
    effects: [],
    filled,
    problem,
    ...(error && { error }),
  });
  const skipped = whyNotApplicable(scene, step);
  if (skipped) return not('skipped', skipped);
  const problem =
    textProblem(filled) ?? (await problemOf(tx, scene.actor.accountId, scene.config, filled.step));
  if (problem) return not('failed', problem);
  const emitted = tx.emitted.length;
  try {
    const { effects, isDone = tx.emitted.length > emitted } = await tx.savepoint(() =>
      execute(tx, scene, filled.step),
    );
    const state = isDone ? 'done' : 'unchanged';
    return { state, reason: null, effects: isDone ? effects : [], filled, problem: null };
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    const found = problemFrom(step, error);
    return not(isSkipped(scene, found) ? 'skipped' : 'failed', found, error);
  }
}

/** A person has to know that these were not done; a rule finds things as they are. */
const isSkipped = ({ actor }: Scene, { kind }: StepProblem) =>
  actor.kind === 'rule' && (kind === 'blocked' || kind === 'window' || kind === 'nobody');

interface Executed {
  effects: StepEffect[];
  /** Left out: it is if an event was emitted, as every change of a conversation or a card does. */
  isDone?: boolean;
}

async function execute(tx: Tx, scene: Scene, step: Step): Promise<Executed> {
  const { actor, now, visible, config } = scene;
  requireMay(actor, permissionOf(step.type));
  const { definitions, directory } = config;
  const sessionId = scene.session?.sessionId ?? '';
  const channelId = scene.session?.channelId ?? '';
  const place = { channelId, sessionId };
  const recordId = scene.record?.recordId ?? '';
  const made = (kind: StepEffect['kind'], id: string): Executed => ({
    effects: [{ kind, id }],
    isDone: true,
  });
  const change = async (update: SessionUpdate): Promise<Executed> => {
    await changeSession(tx, actor, now, visible, sessionId, update);
    return { effects: [{ kind: 'session', id: sessionId }] };
  };
  const changeCard = async (update: { customFields?: Step['customFields']; status?: string }) => {
    scene.record = await changeRecord(tx, actor, now, definitions, recordId, update);
    return { effects: [{ kind: 'record' as const, id: recordId }] };
  };
  switch (step.type) {
    case 'reply': {
      const input = { content: step.text!, pauseAi: step.pauseAi ?? true };
      const replying = { actor, now, directory, visible };
      return made('message', (await sendOperatorReply(tx, replying, place, input)).id);
    }
    case 'send_template': {
      const { parameters = [], pauseAi } = step;
      const template = { name: step.name!, language: step.language!, parameters };
      const content = await fillTemplate(tx, actor.accountId, scene.providers, channelId, template);
      const replying = { actor, now, directory, visible };
      return made(
        'message',
        (await sendOperatorReply(tx, replying, place, { content, pauseAi }, template)).id,
      );
    }
    case 'note': {
      const input = { content: step.text!, isNoteVisibleToAi: step.isNoteVisibleToAi ?? false };
      const noting = { actor, now, visible, definitions };
      return made('message', (await createNote(tx, noting, place, input)).messageId);
    }
    case 'assign': {
      const { assignedUserId, teamId } = step;
      return change({
        ...(assignedUserId !== undefined && {
          assignedUserId: assignedUserId === 'me' ? actor.id : assignedUserId,
        }),
        ...(teamId !== undefined && { teamId }),
      });
    }
    case 'label': {
      const { addLabelIds = [], removeLabelIds = [] } = step;
      return change({ addLabelIds, removeLabelIds });
    }
    case 'transfer':
      return transfer(tx, scene, step);
    case 'set_fields':
      return changeCard({ customFields: step.customFields ?? {} });
    case 'set_status':
      return changeCard({ status: step.status! });
    case 'snooze': {
      const minutes = step.snoozeMinutes ?? null;
      return change({ status: 'snoozed', snoozedUntil: minutes === null ? null : now + minutes * minute });
    }
    case 'resolve':
      return change({ status: 'resolved' });
    case 'take_over':
    case 'hand_back':
      await setAiPaused(tx, actor, now, visible, sessionId, step.type === 'take_over');
      return { effects: [{ kind: 'session', id: sessionId }] };
    case 'create_record': {
      const { kanbanId, status, customFields, assignedUserIds } = step;
      const input = { kanbanId, title: step.title!, status, customFields, assignedUserIds };
      return made('record', (await createRecord(tx, actor, now, definitions, input)).recordId);
    }
    case 'create_task': {
      const { dueInMinutes = null, assignedUserId } = step;
      const dueAt = dueInMinutes === null ? null : now + dueInMinutes * minute;
      const input = { title: step.title!, dueAt, assignedUserId };
      return made('task', (await createTask(tx, { actor, now, definitions }, recordId, input)).taskId);
    }
    case 'comment': {
      const input = { content: step.text! };
      return made(
        'comment',
        (await createComment(tx, { actor, now, definitions }, recordId, input)).commentId,
      );
    }
    case 'notify':
      return { effects: await notify(tx, scene, step), isDone: true };
    default:
      throw new Error(`a step of the type ${step.type} is not performed in a transaction`);
  }
}

/** The conversation may have another card afterwards. */
async function transfer(tx: Tx, scene: Scene, { agentId, kanbanId }: Step): Promise<Executed> {
  const { actor, now, visible, config } = scene;
  const before = scene.session!;
  const { sessionId } = before;
  await transferSession(tx, { actor, now, ...config }, visible, sessionId, { agentId, kanbanId });
  const after = await requireSession(tx, actor, visible, sessionId);
  scene.session = after;
  if (scene.record?.recordId === before.recordId) scene.record = await findCard(tx, scene, after.recordId);
  const isDone = after.agentId !== before.agentId || after.kanbanId !== before.kanbanId;
  return { effects: [{ kind: 'session', id: sessionId }], isDone };
}

function whyNotApplicable({ session, record, config }: Scene, step: Step): StepProblem | null {
  const { type, kanbanId } = step;
  if (isAboutSession(type) && !session) {
    return { kind: 'no_conversation', field: null, message: 'there is no conversation' };
  }
  if (!isAboutCard(type)) return null;
  const isOfBoard = type === 'set_fields' || type === 'set_status';
  // A board that was deleted is a problem, not another board.
  if (isOfBoard && !config.definitions.kanbans.has(kanbanId!)) return null;
  const field = isOfBoard ? 'kanbanId' : null;
  if (!record) {
    const message = session ? 'the conversation has no card' : 'there is no card';
    return { kind: 'no_card', field, message };
  }
  if (!isOfBoard || record.kanbanId === kanbanId) return null;
  const message = `the card ${session ? 'of the conversation ' : ''}is on another board`;
  return { kind: 'other_board', field, message };
}

function textProblem({ step, unfilled }: Filled): StepProblem | null {
  const field = step.text === undefined ? null : 'text';
  if (unfilled.length > 0) {
    const message = `${field ?? 'the step'} has placeholders without a value: ${unfilled.join(', ')}`;
    return { kind: 'unfilled', field, message };
  }
  const { text = '' } = step;
  if (text.length > limits.messageLength && [...text].length > limits.messageLength) {
    const message = `text must have at most ${limits.messageLength} characters`;
    return { kind: 'too_long', field, message };
  }
  return null;
}

function problemFrom({ type }: Step, error: AppError): StepProblem {
  const { message } = error;
  if (error instanceof ContactBlocked) return { kind: 'blocked', field: null, message };
  if (error.code === 'WINDOW_CLOSED') return { kind: 'window', field: null, message };
  if (error instanceof NobodyToNotify) return { kind: 'nobody', field: null, message };
  // The user exists: that was checked before.
  const isHidden = type === 'assign' && message.startsWith('assignedUserId ');
  if (isHidden) return { kind: 'hidden_board', field: 'assignedUserId', message };
  return { kind: 'refused', field: null, message };
}
