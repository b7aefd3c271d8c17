/**
 * The steps of a macro or a rule. Saving checks the form of each step, that steps do not contradict each other, and that
 * everything they refer to exists. What they refer to may be deleted later, so a run checks that again.
 */
import type { ConditionsValue } from '../../../contract/automation/conditions.ts';
import { flowStepTypes, type RuleStep, type RuleStepType } from '../../../contract/automation/steps.ts';
import { limits } from '../../../contract/limits.ts';
import type { MacroStep } from '../../../contract/macros.ts';
import { placeholdersIn } from '../../../contract/shapes/placeholders.ts';
import type { Reader } from '../../platform/db/db.ts';
import { badRequest } from '../../platform/http/errors.ts';
import { httpsProblem, type OutboundAllow } from '../../platform/outbound/outbound-address.ts';
import { type Actor, requireAddressRight } from '../accounts/accounts.ts';
import type { AccountConfig } from '../channels/channels.ts';
import { hasApprovedTemplate } from '../connectors/connectors.ts';
import { type Definitions, maySee } from '../kanbans/kanbans.ts';
import { checkFieldValues } from '../records/records.ts';
import { requireStored } from '../tools/tools.ts';
import { readPath, type Step, unknownPlaceholders } from './steps.fill.ts';
import { fieldProblem, isAboutCard, isAboutSession, problemOf } from './steps.problems.ts';
import { everyStep, textsOf } from './steps.walk.ts';

/** What each type of step has; the first ones are required, of `some` at least one. */
const properties: { [type in RuleStepType]: { required: Property[]; some?: Property[]; more?: Property[] } } =
  {
    reply: { required: ['text'], more: ['pauseAi'] },
    note: { required: ['text'], more: ['isNoteVisibleToAi'] },
    label: { required: [], some: ['addLabelIds', 'removeLabelIds'] },
    assign: { required: [], some: ['assignedUserId', 'teamId'] },
    set_fields: { required: ['kanbanId', 'customFields'] },
    set_status: { required: ['kanbanId', 'status'] },
    snooze: { required: ['snoozeMinutes'] },
    resolve: { required: [] },
    take_over: { required: [] },
    hand_back: { required: [] },
    send_template: { required: ['name', 'language'], more: ['parameters', 'pauseAi'] },
    transfer: { required: [], some: ['agentId', 'kanbanId'] },
    create_record: { required: ['kanbanId', 'title'], more: ['status', 'customFields', 'assignedUserIds'] },
    create_task: { required: ['title'], more: ['dueInMinutes', 'assignedUserId'] },
    comment: { required: ['text'] },
    notify: { required: ['text'], some: ['userIds', 'teamIds'], more: ['email'] },
    call: { required: [], some: ['toolId', 'url'], more: ['arguments', 'body'] },
    wait: { required: [], some: ['minutes', 'until'], more: ['hoursId', 'at', 'timeZone', 'cancelOn'] },
    if: { required: ['condition', 'then'], more: ['else'] },
    stop: { required: [] },
  };
type Property = Exclude<keyof Step, 'type' | 'id'>;

/** The steps of a macro, with their defaults. */
export async function checkMacroSteps(
  db: Reader,
  actor: Actor,
  definitions: Definitions,
  given: readonly MacroStep[],
): Promise<MacroStep[]> {
  const steps = given.map((step, index) => normalise(step, `steps[${index}]`, true));
  checkLength(steps, limits.macroTextLength);
  checkContradictions(steps, 'steps');
  const checked: Step[] = [];
  for (const [index, step] of steps.entries()) {
    const at = `steps[${index}]`;
    const kanban = step.kanbanId === undefined ? undefined : definitions.kanbans.get(step.kanbanId);
    // A board that is hidden from the author is like none. Others may run the macro where they see the board.
    if (step.kanbanId !== undefined && !(kanban && maySee(actor, kanban))) {
      throw badRequest(`${at}.kanbanId has an unknown board: ${step.kanbanId.slice(0, 100)}`);
    }
    const problem = await problemOf(db, actor.accountId, { definitions }, step);
    if (problem) throw badRequest(`${at}.${problem.message}`);
    const [unknown] = unknownPlaceholders(step.text ?? '', definitions);
    if (unknown) throw badRequest(`${at}.text has an unknown placeholder: ${unknown.slice(0, 100)}`);
    checked.push(
      kanban && step.customFields
        ? { ...step, customFields: Object.fromEntries(checkFieldValues(kanban, step.customFields)) }
        : step,
    );
  }
  return checked as MacroStep[];
}

export interface RuleContext {
  /** Who saves the rule. */
  actor: Actor;
  config: Pick<AccountConfig, 'definitions' | 'directory'>;
  /** What the trigger gives the steps. */
  has: { session: boolean; record: boolean; payload: boolean };
  /** The instance can send e-mail. */
  canMail: boolean;
  outboundAllow: OutboundAllow;
  /** Throw the 400 with its path. */
  checkCondition(condition: ConditionsValue, path: string): void | Promise<void>;
  checkHours(id: string, path: string): void | Promise<void>;
}

/** With their defaults and their ids. `path` is where they are in the body: `steps[3].else[0].teamId does not exist`. */
export async function checkRuleSteps(
  db: Reader,
  context: RuleContext,
  given: readonly RuleStep[],
  path = 'steps',
): Promise<RuleStep[]> {
  const ids = new Map<string, string>();
  const steps = normaliseBranch(given, path, 1, ids);
  const all = [...everyStep(steps, path)].map(({ step }) => step);
  const most = limits.automation.steps;
  if (all.length > most) throw badRequest(`${path} must have at most ${most} steps, with those of branches`);
  checkLength(all, limits.automation.textLength);
  await checkBranch(db, context, steps, path, new Set());
  return steps;
}

/** `depth`: how many `if` may still be around these steps, with the next one. */
function normaliseBranch(
  given: readonly Partial<RuleStep>[],
  path: string,
  depth: number,
  ids: Map<string, string>,
): RuleStep[] {
  return given.map((one, index) => {
    const at = `${path}[${index}]`;
    const step = normalise(one as Step, at, false);
    const id = checkId(one.id ?? freeId(one.type!, ids), at, ids);
    if (step.type !== 'if') return { ...step, id };
    if (depth > limits.automation.depth) {
      throw badRequest(
        `${at} is too deep: at most ${limits.automation.depth} if may be inside of each other`,
      );
    }
    const branch = (name: 'then' | 'else') =>
      normaliseBranch(step[name] ?? [], `${at}.${name}`, depth + 1, ids);
    // biome-ignore lint/suspicious/noThenProperty: The name in the contract; no step is awaited.
    const branches = { then: branch('then'), else: branch('else') };
    if (branches.then.length + branches.else.length === 0) {
      throw badRequest(`${at} needs steps in then or else`);
    }
    return { ...step, id, ...branches };
  });
}

function checkId(id: string, at: string, ids: Map<string, string>): string {
  const earlier = ids.get(id);
  if (earlier !== undefined) throw badRequest(`${at}.id is already the id of ${earlier}`);
  ids.set(id, at);
  return id;
}

function freeId(type: string, ids: ReadonlyMap<string, string>): string {
  for (let number = 1; ; number++) {
    const id = `${type}-${number}`;
    if (!ids.has(id)) return id;
  }
}

/** Only the properties of its type, with their defaults. */
function normalise(step: Step, at: string, isMacro: boolean): Step {
  const { type } = step;
  const { required, some = [], more = [] } = properties[type];
  const missing = required.find((name) => step[name] === undefined);
  if (missing) throw badRequest(`${at}.${missing} is required`);
  if (some.length > 0 && some.every((name) => step[name] === undefined)) {
    throw badRequest(`${at} needs ${some.join(' or ')}`);
  }
  for (const name of ['text', 'title'] as const) {
    const isBlank = required.includes(name) && !(step[name] as string).trim();
    if (isBlank) throw badRequest(`${at}.${name} must not be empty`);
  }
  if (type === 'label' && labelsOf(step).length === 0)
    throw badRequest(`${at}.addLabelIds must not be empty`);
  if (type === 'notify' && (step.userIds ?? []).length + (step.teamIds ?? []).length === 0) {
    throw badRequest(`${at} needs userIds or teamIds`);
  }
  if (type === 'set_fields' && Object.keys(step.customFields ?? {}).length === 0) {
    throw badRequest(`${at}.customFields must have at least one property`);
  }
  const own = [...required, ...some, ...more].filter((name) => step[name] !== undefined);
  return {
    type,
    ...Object.fromEntries(own.map((name) => [name, step[name]])),
    // A person who replies takes over; a rule does not.
    ...((type === 'reply' || type === 'send_template') && { pauseAi: step.pauseAi ?? isMacro }),
    ...(type === 'note' && { isNoteVisibleToAi: step.isNoteVisibleToAi ?? false }),
    ...(type === 'notify' && { email: step.email ?? false }),
  };
}

/** Every user of the account reads the shared macros in one response. */
function checkLength(steps: readonly Step[], max: number): void {
  const texts = steps.map(
    ({ text = '', title = '', parameters = [], customFields, arguments: given, body }) =>
      [text, title, ...parameters].join('') +
      [customFields, given, body].map((one) => (one === undefined ? '' : JSON.stringify(one))).join(''),
  );
  const units = texts.reduce((sum, text) => sum + text.length, 0);
  // Characters are counted as in the limit of a text: one outside the BMP is one.
  if (units > max && [...texts.join('')].length > max) {
    throw badRequest(`steps must have at most ${max} characters of texts and field values together`);
  }
}

/** Two steps that set the same thing: the later one would undo the earlier one. After a wait that may be what is wanted. */
function checkContradictions(steps: readonly Step[], path: string): void {
  const setBy = new Map<string, number>();
  let handBack = -1;
  for (const [index, step] of steps.entries()) {
    if (step.type === 'wait') {
      setBy.clear();
      handBack = -1;
    }
    if (handBack >= 0 && step.pauseAi) {
      throw badRequest(`${path}[${index}] contradicts ${path}[${handBack}]: the reply pauses the AI again`);
    }
    if (step.type === 'hand_back') handBack = index;
    for (const thing of thingsSetBy(step)) {
      const earlier = setBy.get(thing);
      if (earlier !== undefined) {
        const other = earlier === index ? 'itself: it sets' : `${path}[${earlier}]: both set`;
        throw badRequest(
          `${path}[${index}] contradicts ${other} ${thing}${earlier === index ? ' twice' : ''}`,
        );
      }
      setBy.set(thing, index);
    }
  }
}

function thingsSetBy(step: Step): string[] {
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
    case 'transfer':
      return ['the agent and the board of the conversation'];
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

const labelsOf = ({ addLabelIds = [], removeLabelIds = [] }: Step) => [...addLabelIds, ...removeLabelIds];

/** Those of a branch in their order. `calls`: the ids of calls that have been made before. */
async function checkBranch(
  db: Reader,
  context: RuleContext,
  steps: readonly RuleStep[],
  path: string,
  calls: ReadonlySet<string>,
): Promise<void> {
  checkContradictions(steps, path);
  const known = new Set(calls);
  for (const [index, step] of steps.entries()) {
    const at = `${path}[${index}]`;
    checkPlace(context, step, at);
    checkTexts(context, step, at, known);
    if (flowStepTypes.includes(step.type as never)) await checkFlow(db, context, step, at, known);
    else await checkAction(db, context, step, at);
    if (step.type === 'call') known.add(step.id);
  }
}

/** That it can work for the trigger. */
function checkPlace({ has }: RuleContext, step: RuleStep, at: string): void {
  if (isAboutSession(step.type) && !has.session) {
    throw badRequest(`${at} needs a conversation, and the trigger has none`);
  }
  const needsCard = isAboutCard(step.type) || (step.type === 'wait' && isField(step.until));
  if (needsCard && !has.record) throw badRequest(`${at} needs a card, and the trigger has none`);
  for (const [index, cancel] of (step.cancelOn ?? []).entries()) {
    if (cancel === 'record_moved' ? has.record : has.session) continue;
    const thing = cancel === 'record_moved' ? 'card' : 'conversation';
    throw badRequest(`${at}.cancelOn[${index}] needs a ${thing}, and the trigger has none`);
  }
}

const isField = (until: string | undefined) => until !== undefined && until !== 'next_opening';

function checkTexts(
  { config: { definitions }, has }: RuleContext,
  step: RuleStep,
  at: string,
  calls: ReadonlySet<string>,
): void {
  for (const [place, text] of textsOf(step)) {
    const where = `${at}.${place}`;
    const isPath = (name: string) => {
      const path = readPath(name);
      if (path?.from === 'payload') return has.payload;
      return path !== null && calls.has(path.parts[0]!);
    };
    for (const { text: written, name } of placeholdersIn(text)) {
      const shown = written.slice(0, 100);
      if (name.toLowerCase() === 'operator')
        throw badRequest(`${where} has ${shown}: a rule has no operator`);
      const from = readPath(name)?.from;
      if (from === 'payload' && !has.payload) {
        throw badRequest(`${where} has ${shown}, and the trigger has no payload`);
      }
      if (from === 'steps' && !isPath(name)) {
        throw badRequest(`${where} has ${shown}, which is no call before this step`);
      }
    }
    const [unknown] = unknownPlaceholders(text, definitions, isPath);
    if (unknown) throw badRequest(`${where} has an unknown placeholder: ${unknown.slice(0, 100)}`);
  }
}

async function checkFlow(
  db: Reader,
  context: RuleContext,
  step: RuleStep,
  at: string,
  calls: ReadonlySet<string>,
): Promise<void> {
  if (step.type === 'if') {
    await context.checkCondition(step.condition!, `${at}.condition`);
    await checkBranch(db, context, step.then ?? [], `${at}.then`, calls);
    await checkBranch(db, context, step.else ?? [], `${at}.else`, calls);
  }
  if (step.type === 'wait') await checkWait(context, step, at);
}

async function checkWait(context: RuleContext, step: RuleStep, at: string): Promise<void> {
  const { minutes, until, hoursId, timeZone } = step;
  if (minutes !== undefined && until !== undefined)
    throw badRequest(`${at} must have either minutes or until`);
  if (timeZone !== undefined) checkTimeZone(timeZone, `${at}.timeZone`);
  if (typeof hoursId === 'string') await context.checkHours(hoursId, `${at}.hoursId`);
  if (!isField(until)) return;
  const { kanbans } = context.config.definitions;
  const boards = [...kanbans.values()].filter((kanban) => maySee(context.actor, kanban));
  const field = boards.flatMap(({ fields }) => fields.get(until!) ?? [])[0];
  if (!field) throw badRequest(`${at}.until does not exist`);
  if (field.type !== 'date' && field.type !== 'datetime') {
    throw badRequest(`${at}.until must be next_opening or a field of the type date or datetime`);
  }
  if (field.type !== 'date') return;
  for (const name of ['at', 'timeZone'] as const) {
    if (step[name] === undefined) throw badRequest(`${at}.${name} is required for a field of the type date`);
  }
}

export function checkTimeZone(timeZone: string | undefined, place = 'timeZone'): void {
  try {
    if (timeZone !== undefined) new Intl.DateTimeFormat('en', { timeZone });
  } catch {
    throw badRequest(`${place} must be an IANA name such as America/Sao_Paulo`);
  }
}

async function checkAction(db: Reader, context: RuleContext, step: RuleStep, at: string): Promise<void> {
  const { actor, config } = context;
  const { type, assignedUserId, kanbanId, customFields } = step;
  if (assignedUserId === 'me') throw badRequest(`${at}.assignedUserId must be a user: a rule is nobody`);
  const kanban = kanbanId === undefined ? undefined : config.definitions.kanbans.get(kanbanId);
  if (kanbanId !== undefined && !(kanban && maySee(actor, kanban))) {
    throw badRequest(`${at}.kanbanId does not exist`);
  }
  // What placeholders become is checked when they are filled.
  const fixed = customFields && withoutPlaceholders(customFields);
  const problem =
    (await problemOf(db, actor.accountId, config, { ...step, ...(fixed && { customFields: fixed }) })) ??
    (kanban && customFields ? unknownField(kanban, customFields) : null);
  if (problem) {
    const { kind, field, place = field, message } = problem;
    const isGone = kind.startsWith('unknown_') && kind !== 'unknown_status';
    throw badRequest(isGone ? `${at}.${place} does not exist` : `${at}.${message}`);
  }
  if (type === 'call') await checkCall(db, context, step, at);
  if (type === 'notify' && step.email && !context.canMail) {
    throw badRequest(`${at}.email: this instance cannot send e-mail, set SMTP_URL and MAIL_FROM`);
  }
  if (type === 'send_template') {
    const { name, language, parameters = [] } = step as Required<RuleStep>;
    const template = { name, language, parameters };
    const found = await hasApprovedTemplate(db, actor.accountId, template);
    if (!found) throw badRequest(`${at}.name does not exist as an approved template with these parameters`);
  }
}

const isFixed = (value: unknown) => typeof value !== 'string' || placeholdersIn(value).length === 0;
const withoutPlaceholders = (values: { [id: string]: unknown }) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => isFixed(value)));

function unknownField(kanban: Parameters<typeof fieldProblem>[0], values: { [id: string]: unknown }) {
  const gone = Object.keys(values).find((id) => !kanban.fields.has(id));
  return gone === undefined ? null : fieldProblem(kanban, { [gone]: null });
}

async function checkCall(
  db: Reader,
  { actor, outboundAllow }: RuleContext,
  step: RuleStep,
  at: string,
): Promise<void> {
  requireAddressRight(actor, at);
  const { toolId, url } = step;
  if (toolId !== undefined && url !== undefined) throw badRequest(`${at} must have either toolId or url`);
  if (toolId === undefined) {
    const problem = httpsProblem(url!, outboundAllow);
    if (problem) throw badRequest(`${at}.url ${problem}`);
    return;
  }
  const tool = await requireStored(db, actor.accountId, toolId);
  if (tool.server) throw badRequest(`${at}.toolId must be an HTTP tool, not one of an MCP server`);
  const problem = httpsProblem(tool.url!, outboundAllow);
  if (problem) throw badRequest(`${at}.toolId: the address of the tool ${problem}`);
}
