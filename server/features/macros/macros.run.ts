/**
 * Runs a macro on a conversation, or shows what a run would do: all of its steps in one transaction, or none. A preview is
 * the same run, rolled back.
 */
import type {
  Macro,
  MacroPreview,
  MacroPreviewBody,
  MacroProblem,
  MacroRun,
  MacroRunBody,
} from '../../../contract/macros.ts';
import type { Db, Tx } from '../../platform/db/db.ts';
import { type AppError, badRequest, conflict } from '../../platform/http/errors.ts';
import type { UserActor } from '../accounts/accounts.ts';
import { ContactBlocked, requireSession } from '../sessions/sessions.ts';
import {
  checkTimeZone,
  inPreview,
  performStep,
  previewSteps,
  type SceneInput,
  type StepOutcome,
  type StepProblem,
  withScene,
} from '../steps/steps.ts';
import { requireMacro } from './macros.ts';

export type MacroContext = Omit<SceneInput, 'actor' | 'language' | 'timeZone' | 'values'> & {
  actor: UserActor;
};

export interface MacroPlace {
  sessionId: string;
  macroId: string;
}

export async function runMacro(
  tx: Tx,
  context: MacroContext,
  { sessionId, macroId }: MacroPlace,
  body: MacroRunBody,
): Promise<MacroRun> {
  const { actor, visible } = context;
  const macro = await requireMacro(tx, actor, macroId);
  const { expectedUpdatedAt = macro.updatedAt } = body;
  if (expectedUpdatedAt !== macro.updatedAt) throw conflict('the macro has changed meanwhile');
  checkTexts(macro, body);
  return withScene(tx, inputOf(context, body), { sessionId }, (scene) =>
    // Some steps end with a statement that commits a rule with it, unless the rule is inside a savepoint.
    tx.savepoint(async () => {
      const steps: MacroRun['steps'] = [];
      for (const [index, step] of macro.steps.entries()) {
        const text = body.texts?.find((one) => one.step === index)?.text;
        const { state, effects, problem, error } = await performStep(tx, scene, step, text);
        if (problem && state === 'failed') throw refusalOf(index, problem, error);
        const messageId = effects.find(({ kind }) => kind === 'message')?.id ?? null;
        steps.push({ type: step.type, state: doneStates[state as keyof typeof doneStates], messageId });
      }
      const session = await requireSession(tx, actor, visible, sessionId);
      return { macroId: macro.id, sessionId, steps, session };
    }),
  );
}

const doneStates = { done: 'done', unchanged: 'unchanged', skipped: 'not_applicable' } as const;
const shownStates = { ...doneStates, done: 'ready', failed: 'problem' } as const;

export async function previewMacro(
  db: Db,
  context: MacroContext,
  { sessionId, macroId }: MacroPlace,
  body: MacroPreviewBody,
): Promise<MacroPreview> {
  return inPreview(db, async (tx) => {
    const macro = await requireMacro(tx, context.actor, macroId);
    const outcomes = await withScene(tx, inputOf(context, body), { sessionId }, (scene) =>
      previewSteps(tx, scene, macro.steps),
    );
    const steps = outcomes.map((outcome, index) => shown(macro.steps[index]!.type, outcome));
    return { macro, sessionId, canRun: steps.every(({ state }) => state !== 'problem'), steps };
  });
}

function shown(
  type: Macro['steps'][number]['type'],
  { state, filled, problem }: StepOutcome,
): MacroPreview['steps'][number] {
  const { step, unfilled } = filled;
  return {
    type,
    state: shownStates[state],
    text: step.text ?? null,
    unfilled,
    problem: problem && problemOf(problem),
  };
}

/** Macros know fewer kinds than rules. */
function problemOf({ kind, field, message }: StepProblem): MacroProblem {
  return { kind: kind === 'window' ? 'refused' : (kind as MacroProblem['kind']), field, message };
}

function inputOf(context: MacroContext, { language, timeZone }: MacroPreviewBody): SceneInput {
  checkTimeZone(timeZone);
  return { ...context, language, timeZone };
}

/** The request is right, but not for this conversation now. A blocked contact has a response of its own. */
function refusalOf(index: number, { field, message }: StepProblem, error: AppError | undefined): AppError {
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
