/** What a step refers to and does not exist, or no longer. Saving checks it, and so does each run. */
import type { RuleStepType } from '../../../contract/automation/steps.ts';
import type { MacroProblem } from '../../../contract/macros.ts';
import type { Reader } from '../../platform/db/db.ts';
import { AppError } from '../../platform/http/errors.ts';
import { isId } from '../../platform/ids.ts';
import { checkUserIds } from '../accounts/accounts.ts';
import type { AccountConfig } from '../channels/channels.ts';
import type { KanbanDefinition } from '../kanbans/kanbans.ts';
import { listLabels } from '../labels/labels.ts';
import { checkFieldValues } from '../records/records.ts';
import { checkTeamId } from '../teams/teams.ts';
import { findUnknownTools } from '../tools/tools.ts';
import type { Step } from './steps.fill.ts';

export interface StepProblem {
  kind: MacroProblem['kind'] | 'window' | 'nobody' | 'no_conversation' | 'unknown_agent' | 'unknown_tool';
  /** The property of the step; null: it is about none. */
  field: string | null;
  /** Begins with the property, if there is one. */
  message: string;
  /** Of something in a list or an object of the property, such as `addLabelIds[1]`. */
  place?: string;
}

const ofSession = new Set<RuleStepType>([
  ...(['reply', 'note', 'label', 'assign', 'snooze', 'resolve', 'take_over', 'hand_back'] as const),
  ...(['send_template', 'transfer'] as const),
]);
const ofCard = new Set<RuleStepType>(['set_fields', 'set_status', 'create_task', 'comment']);

/** Such a step needs a conversation. */
export const isAboutSession = (type: RuleStepType) => ofSession.has(type);
/** Such a step needs a card. */
export const isAboutCard = (type: RuleStepType) => ofCard.has(type);

type Config = Pick<AccountConfig, 'definitions'> & Partial<Pick<AccountConfig, 'directory'>>;

export async function problemOf(
  db: Reader,
  accountId: string,
  config: Config,
  step: Step,
): Promise<StepProblem | null> {
  switch (step.type) {
    case 'label':
      return labelProblem(db, accountId, step);
    case 'assign':
    case 'create_task':
      return (await userProblem(db, accountId, step)) ?? teamProblem(db, accountId, 'teamId', step.teamId);
    case 'notify':
      return notifiedProblem(db, accountId, step);
    case 'call':
      return toolProblem(db, accountId, step);
    case 'transfer':
      if (step.agentId !== undefined && !config.directory?.agents.has(step.agentId)) {
        return unknown('agent', 'agentId', step.agentId);
      }
      return boardProblem(config, step);
    case 'create_record':
      return (
        boardProblem(config, step) ??
        (await usersProblem(db, accountId, 'assignedUserIds', step.assignedUserIds ?? []))
      );
    default:
      return boardProblem(config, step);
  }
}

const shortened = (id: string) => id.slice(0, 100);
const unknown = (thing: 'agent' | 'board' | 'label' | 'tool', field: string, id: string): StepProblem => ({
  kind: `unknown_${thing}`,
  field,
  message: `${field} has an unknown ${thing}: ${shortened(id)}`,
});

function boardProblem({ definitions }: Config, step: Step): StepProblem | null {
  const { kanbanId, status, customFields } = step;
  if (kanbanId === undefined) return null;
  const kanban = definitions.kanbans.get(kanbanId);
  if (!kanban) return unknown('board', 'kanbanId', kanbanId);
  if (status !== undefined && !kanban.statuses.some(({ value }) => value === status)) {
    const values = kanban.statuses.map(({ value }) => value).join(', ');
    return { kind: 'unknown_status', field: 'status', message: `status must be one of ${values}` };
  }
  return customFields ? fieldProblem(kanban, customFields) : null;
}

export function fieldProblem(
  kanban: KanbanDefinition,
  customFields: { [id: string]: unknown },
): StepProblem | null {
  const gone = Object.keys(customFields).find((id) => !kanban.fields.has(id));
  try {
    checkFieldValues(kanban, customFields);
    return null;
  } catch (error) {
    if (gone === undefined) return problemFrom('wrong_value', 'customFields', error);
    const place = `customFields.${shortened(gone)}`;
    return { ...problemFrom('unknown_field', 'customFields', error), place };
  }
}

const userProblem = (db: Reader, accountId: string, { assignedUserId: id }: Step) =>
  typeof id === 'string' && id !== 'me' ? usersProblem(db, accountId, 'assignedUserId', [id]) : null;

async function usersProblem(
  db: Reader,
  accountId: string,
  field: string,
  ids: string[],
): Promise<StepProblem | null> {
  const problem = await caught('unknown_user', field, () => checkUserIds(db, accountId, ids, field));
  if (!problem || field === 'assignedUserId') return problem;
  const index = ids.findIndex((id) => problem.message.endsWith(shortened(id)));
  return index < 0 ? problem : { ...problem, place: `${field}[${index}]` };
}

const teamProblem = (db: Reader, accountId: string, field: string, id: string | null | undefined) =>
  caught('unknown_team', field, () => checkTeamId(db, accountId, id ?? null, field));

async function notifiedProblem(
  db: Reader,
  accountId: string,
  { userIds = [], teamIds = [] }: Step,
): Promise<StepProblem | null> {
  const problem = await usersProblem(db, accountId, 'userIds', userIds);
  if (problem) return problem;
  for (const [index, id] of teamIds.entries()) {
    const unknownTeam = await teamProblem(db, accountId, 'teamIds', id);
    if (unknownTeam) return { ...unknownTeam, place: `teamIds[${index}]` };
  }
  return null;
}

async function toolProblem(db: Reader, accountId: string, { toolId }: Step): Promise<StepProblem | null> {
  if (toolId === undefined) return null;
  const isKnown = isId(toolId) && (await findUnknownTools(db, accountId, [toolId])).length === 0;
  return isKnown ? null : unknown('tool', 'toolId', toolId);
}

async function labelProblem(
  db: Reader,
  accountId: string,
  { addLabelIds = [], removeLabelIds = [] }: Step,
): Promise<StepProblem | null> {
  const known = new Set((await listLabels(db, accountId)).map(({ id }) => id));
  const id = [...addLabelIds, ...removeLabelIds].find((one) => !known.has(one));
  if (id === undefined) return null;
  const [field, list] = addLabelIds.includes(id)
    ? ['addLabelIds', addLabelIds]
    : ['removeLabelIds', removeLabelIds];
  return { ...unknown('label', field as string, id), place: `${field}[${list.indexOf(id)}]` };
}

async function caught(
  kind: StepProblem['kind'],
  field: string,
  check: () => Promise<void>,
): Promise<StepProblem | null> {
  try {
    await check();
    return null;
  } catch (error) {
    return problemFrom(kind, field, error);
  }
}

function problemFrom(kind: StepProblem['kind'], field: string, error: unknown): StepProblem {
  if (!(error instanceof AppError) || error.status >= 500) throw error;
  return { kind, field, message: error.message };
}
