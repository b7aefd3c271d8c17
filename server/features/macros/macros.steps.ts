/**
 * The steps of a macro. Saving one checks the form of each step, that steps do not contradict each other, and that
 * everything they refer to exists. What they refer to may be deleted later, so a run checks that again.
 */
import { limits } from '../../../contract/limits.ts';
import type { MacroProblem, MacroStep } from '../../../contract/macros.ts';
import type { Reader } from '../../platform/db/db.ts';
import { AppError, badRequest } from '../../platform/http/errors.ts';
import { type Actor, checkUserIds } from '../accounts/accounts.ts';
import { type Definitions, maySee } from '../kanbans/kanbans.ts';
import { listLabels } from '../labels/labels.ts';
import { checkFieldValues } from '../records/records.ts';
import { checkTeamId } from '../teams/teams.ts';
import { unknownPlaceholders } from './macros.fill.ts';

/** What each type of step has; the first ones are required, of the others at least one if there are no required. */
const properties: { [type in MacroStep['type']]: { required: Property[]; some?: Property[] } } = {
  reply: { required: ['text'] },
  note: { required: ['text'] },
  label: { required: [], some: ['addLabelIds', 'removeLabelIds'] },
  assign: { required: [], some: ['assignedUserId', 'teamId'] },
  set_fields: { required: ['kanbanId', 'customFields'] },
  set_status: { required: ['kanbanId', 'status'] },
  snooze: { required: ['snoozeMinutes'] },
  resolve: { required: [] },
  take_over: { required: [] },
  hand_back: { required: [] },
};
type Property = Exclude<keyof MacroStep, 'type'>;

export async function checkSteps(
  db: Reader,
  actor: Actor,
  definitions: Definitions,
  given: readonly MacroStep[],
): Promise<MacroStep[]> {
  const steps = given.map((step, index) => normalise(step, `steps[${index}]`));
  checkLength(steps);
  checkContradictions(steps);
  const checked: MacroStep[] = [];
  for (const [index, step] of steps.entries()) {
    const at = `steps[${index}]`;
    const kanban = step.kanbanId === undefined ? undefined : definitions.kanbans.get(step.kanbanId);
    // A board that is hidden from the author is like none. Others may run the macro where they see the board.
    if (step.kanbanId !== undefined && !(kanban && maySee(actor, kanban))) {
      throw badRequest(`${at}.kanbanId has an unknown board: ${step.kanbanId.slice(0, 100)}`);
    }
    const problem = await problemOf(db, actor.accountId, definitions, step);
    if (problem) throw badRequest(`${at}.${problem.message}`);
    const [unknown] = unknownPlaceholders(step.text ?? '', definitions);
    if (unknown) throw badRequest(`${at}.text has an unknown placeholder: ${unknown.slice(0, 100)}`);
    checked.push(
      kanban && step.customFields
        ? { ...step, customFields: Object.fromEntries(checkFieldValues(kanban, step.customFields)) }
        : step,
    );
  }
  return checked;
}

/** Only the properties of its type, with their defaults. */
function normalise(step: MacroStep, at: string): MacroStep {
  const { type } = step;
  const { required, some = [] } = properties[type];
  const missing = required.find((name) => step[name] === undefined);
  if (missing) throw badRequest(`${at}.${missing} is required`);
  if (some.length > 0 && some.every((name) => step[name] === undefined)) {
    throw badRequest(`${at} needs ${some.join(' or ')}`);
  }
  if (step.text !== undefined && required.includes('text') && !step.text.trim()) {
    throw badRequest(`${at}.text must not be empty`);
  }
  if (type === 'label' && labelsOf(step).length === 0)
    throw badRequest(`${at}.addLabelIds must not be empty`);
  if (type === 'set_fields' && Object.keys(step.customFields ?? {}).length === 0) {
    throw badRequest(`${at}.customFields must have at least one property`);
  }
  const own = [...required, ...some].filter((name) => step[name] !== undefined);
  return {
    type,
    ...Object.fromEntries(own.map((name) => [name, step[name]])),
    ...(type === 'reply' && { pauseAi: step.pauseAi ?? true }),
    ...(type === 'note' && { isNoteVisibleToAi: step.isNoteVisibleToAi ?? false }),
  };
}

/** Every user of the account reads the shared macros in one response. */
function checkLength(steps: readonly MacroStep[]): void {
  const max = limits.macroTextLength;
  const texts = steps.map(
    ({ text = '', customFields }) => text + (customFields ? JSON.stringify(customFields) : ''),
  );
  const units = texts.reduce((sum, text) => sum + text.length, 0);
  // Characters are counted as in the limit of a text: one outside the BMP is one.
  if (units > max && [...texts.join('')].length > max) {
    throw badRequest(`steps must have at most ${max} characters of texts and field values together`);
  }
}

/** Two steps that set the same thing: the later one would undo the earlier one. */
function checkContradictions(steps: readonly MacroStep[]): void {
  const setBy = new Map<string, number>();
  const handBack = steps.findIndex(({ type }) => type === 'hand_back');
  for (const [index, step] of steps.entries()) {
    if (handBack >= 0 && index > handBack && step.type === 'reply' && step.pauseAi) {
      throw badRequest(`steps[${index}] contradicts steps[${handBack}]: the reply pauses the AI again`);
    }
    for (const thing of thingsSetBy(step)) {
      const earlier = setBy.get(thing);
      if (earlier !== undefined) {
        const other = earlier === index ? 'itself: it sets' : `steps[${earlier}]: both set`;
        throw badRequest(`steps[${index}] contradicts ${other} ${thing}${earlier === index ? ' twice' : ''}`);
      }
      setBy.set(thing, index);
    }
  }
}

function thingsSetBy(step: MacroStep): string[] {
  switch (step.type) {
    case 'resolve':
    case 'snooze':
      return ['the status of the conversation'];
    case 'take_over':
    case 'hand_back':
      return ['who answers'];
    case 'assign':
      return [
        ...(step.assignedUserId === undefined ? [] : ['the owner']),
        ...(step.teamId === undefined ? [] : ['the team']),
      ];
    case 'label':
      return labelsOf(step).map((id) => `the label ${id.slice(0, 100)}`);
    case 'set_status':
      return [`the status of cards of ${step.kanbanId}`];
    case 'set_fields':
      return Object.keys(step.customFields!).map((id) => `the field ${id.slice(0, 100)}`);
    default:
      return [];
  }
}

const labelsOf = ({ addLabelIds = [], removeLabelIds = [] }: MacroStep) => [
  ...addLabelIds,
  ...removeLabelIds,
];

/** What the step refers to and does not exist. Its message begins with the property. */
export async function problemOf(
  db: Reader,
  accountId: string,
  { kanbans }: Definitions,
  step: MacroStep,
): Promise<MacroProblem | null> {
  const { type, assignedUserId, teamId, kanbanId, customFields, status } = step;
  if (type === 'label') return labelProblem(db, accountId, step);
  if (type === 'assign') {
    const isPerson = typeof assignedUserId === 'string' && assignedUserId !== 'me';
    return (
      (isPerson &&
        (await caught('unknown_user', 'assignedUserId', () =>
          checkUserIds(db, accountId, [assignedUserId], 'assignedUserId'),
        ))) ||
      (await caught('unknown_team', 'teamId', () => checkTeamId(db, accountId, teamId ?? null, 'teamId')))
    );
  }
  if (kanbanId === undefined) return null;
  const kanban = kanbans.get(kanbanId);
  if (!kanban) {
    const message = `kanbanId has an unknown board: ${kanbanId.slice(0, 100)}`;
    return { kind: 'unknown_board', field: 'kanbanId', message };
  }
  if (type === 'set_status' && !kanban.statuses.some(({ value }) => value === status)) {
    const values = kanban.statuses.map(({ value }) => value).join(', ');
    return { kind: 'unknown_status', field: 'status', message: `status must be one of ${values}` };
  }
  const gone = Object.keys(customFields ?? {}).find((id) => !kanban.fields.has(id));
  const kind = gone === undefined ? 'wrong_value' : 'unknown_field';
  return caught(kind, 'customFields', () => void checkFieldValues(kanban, customFields ?? {}));
}

async function labelProblem(db: Reader, accountId: string, step: MacroStep): Promise<MacroProblem | null> {
  const known = new Set((await listLabels(db, accountId)).map(({ id }) => id));
  const unknown = labelsOf(step).find((id) => !known.has(id));
  if (unknown === undefined) return null;
  const field = step.addLabelIds?.includes(unknown) ? 'addLabelIds' : 'removeLabelIds';
  return { kind: 'unknown_label', field, message: `${field} has an unknown label: ${unknown.slice(0, 100)}` };
}

async function caught(
  kind: MacroProblem['kind'],
  field: string,
  check: () => void | Promise<void>,
): Promise<MacroProblem | null> {
  try {
    await check();
    return null;
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    return { kind, field, message: error.message };
  }
}
