/** What a rule would do now, in one conversation or for one record. Everything is taken back. */
import type { MissedCondition } from '../../../../contract/automation/conditions.ts';
import type { RuleStep } from '../../../../contract/automation/steps.ts';
import type { Trigger } from '../../../../contract/automation/triggers.ts';
import type { DryRun, DryRunBody, DryRunStep } from '../../../../contract/automation/trying.ts';
import type { Clock } from '../../../platform/db/clock.ts';
import type { Db, Reader, Tx } from '../../../platform/db/db.ts';
import { badRequest, notFound } from '../../../platform/http/errors.ts';
import { isId } from '../../../platform/ids.ts';
import { type Actor, may, requireMay } from '../../accounts/accounts.ts';
import type { AccountConfigCache } from '../../channels/channels.ts';
import {
  type ConditionSubject,
  evaluate,
  loadSubjects,
  type SubjectKey,
} from '../../conditions/conditions.ts';
import type { Registry } from '../../connectors/connectors.ts';
import { visibleTo } from '../../kanbans/kanbans.ts';
import { requireRecord } from '../../records/records.ts';
import { requireSession } from '../../sessions/sessions.ts';
import { everyStep, fillStep, inPreview, performStep, type Scene, withScene } from '../../steps/steps.ts';
import { checkRule, contentOf, type RuleContext } from '../automations.check.ts';
import { isAbout } from '../automations.match.ts';
import { branchPath, firstPath, nextPath, stepAt } from '../automations.paths.ts';
import { compile, evaluationOf } from '../automations.rules.ts';
import type { RuleContent } from '../automations.sql.ts';
import { findPlace, type Place } from '../automations.subjects.sql.ts';
import { subjectKindOf } from '../automations.triggers.ts';
import { waitEnd } from '../automations.waits.ts';
import { findEvent, findLatestMessage, findMessageAuthor, type TriedEvent } from './trying.dry-run.sql.ts';

export interface TryingContext extends Pick<RuleContext, 'canMail' | 'outboundAllow'> {
  db: Db;
  clock: Clock;
  accountConfig: AccountConfigCache;
  providers: Registry;
}

/** What the rule is tried for. */
interface Tried extends Place {
  messageId: string | null;
  /** Null: the trigger is taken to have come. */
  change: Parameters<typeof isAbout>[1] | null;
}

export async function dryRun(context: TryingContext, actor: Actor, body: DryRunBody): Promise<DryRun> {
  const { db, clock, accountConfig, providers } = context;
  const { accountId } = actor;
  const config = await accountConfig.fresh(accountId);
  const rule = await checkRule({ ...context, actor, config }, contentOf(body.rule));
  const visible = visibleTo(actor, config.definitions);
  const tried = await findTried(db, actor, visible, rule.trigger, body);
  const now = clock.now();
  return inPreview(db, (tx) =>
    withScene(
      tx,
      {
        accountConfig,
        providers,
        // Until it is saved it has no id. Nothing that it writes stays.
        actor: { kind: 'rule', accountId, id: triedRuleId, name: rule.name },
        now,
        visible,
      },
      placeOf(actor, rule.trigger, tried),
      async (scene) => {
        const unmet = await whyNot(tx, scene, rule, tried);
        const steps = await previewRule(tx, scene, rule, tried);
        const { sessionId, recordId } = tried;
        return {
          matched: unmet === null,
          reason: unmet?.reason ?? null,
          missed: unmet?.missed ?? null,
          sessionId,
          recordId,
          steps,
        };
      },
    ),
  );
}

const triedRuleId = '00000000-0000-7000-8000-000000000000';

/** What the caller may not see is not there. */
function placeOf(actor: Actor, trigger: Trigger, { sessionId, recordId }: Tried) {
  if (!may(actor, 'records.view')) return { sessionId, recordId: null };
  return subjectKindOf(trigger) === 'record' ? { sessionId, recordId } : { sessionId };
}

async function findTried(
  db: Db,
  actor: Actor,
  visible: string[] | null,
  trigger: Trigger,
  { sessionId, recordId, eventId }: DryRunBody,
): Promise<Tried> {
  const given = [sessionId, recordId, eventId].filter((id) => id !== undefined);
  if (given.length !== 1) throw badRequest('exactly one of sessionId, recordId and eventId is required');
  const { accountId } = actor;
  if (eventId !== undefined) {
    const event = isId(eventId) ? await findEvent(db, accountId, eventId) : null;
    if (!event) throw notFound('event');
    return ofEvent(db, actor, visible, event);
  }
  const place = await requirePlace(
    db,
    actor,
    visible,
    { sessionId, recordId },
    sessionId ? 'session' : 'record',
  );
  const side = trigger.on === 'reply_sent' ? 'team' : 'customer';
  const isOfMessage = ['session_created', 'customer_message', 'reply_sent'].includes(trigger.on);
  const messageId =
    isOfMessage && place.sessionId !== null
      ? await findLatestMessage(db, accountId, place.sessionId, side)
      : null;
  return { ...place, messageId, change: null };
}

/** The conversation with its card, or the record with its latest conversation: a 404 if the caller may not see it. */
async function requirePlace(
  db: Reader,
  actor: Actor,
  visible: string[] | null,
  { sessionId, recordId }: { sessionId?: string; recordId?: string },
  what: string,
): Promise<Place> {
  if (sessionId !== undefined) {
    requireMay(actor, 'conversations.view');
    await requireSession(db, actor, visible, sessionId);
    return findPlace(db, actor.accountId, { sessionId, recordId: null });
  }
  requireMay(actor, 'records.view');
  if (recordId === undefined || !isId(recordId)) throw notFound(what);
  await requireRecord(db, actor, visible, recordId);
  const place = await findPlace(db, actor.accountId, { sessionId: null, recordId });
  const isSeen = place.sessionId !== null && (await seesSession(db, actor, visible, place.sessionId));
  return { recordId, sessionId: isSeen ? place.sessionId : null };
}

async function seesSession(
  db: Reader,
  actor: Actor,
  visible: string[] | null,
  sessionId: string,
): Promise<boolean> {
  if (!may(actor, 'conversations.view')) return false;
  return requireSession(db, actor, visible, sessionId).then(
    () => true,
    () => false,
  );
}

const recordEvents = [
  'crm_record_created',
  'crm_field_update',
  'comment_created',
  'task_created',
  'task_updated',
];

async function ofEvent(
  db: Db,
  actor: Actor,
  visible: string[] | null,
  { event, subjectId, kanbanId, fieldId, data }: TriedEvent,
): Promise<Tried> {
  const isOfRecord = recordEvents.includes(event);
  const subject = isOfRecord ? { recordId: subjectId } : { sessionId: subjectId };
  const place = await requirePlace(db, actor, visible, subject, 'event');
  const tried = (triggers: string[], detail: NonNullable<Tried['change']>['detail'] = null): Tried => ({
    ...place,
    messageId: null,
    change: { triggers, detail },
  });
  const onBoard = kanbanId === null ? {} : { kanbanId };
  switch (event) {
    case 'message_created': {
      const messageId = String(data.message.id);
      const message = await findMessageAuthor(db, actor.accountId, messageId);
      if (!message) throw notFound('event');
      const { author, isFirst } = message;
      const said = author === 'customer' ? 'customer_message' : `reply_sent:${author}`;
      return { ...tried(isFirst ? ['session_created', said] : [said]), messageId };
    }
    case 'session_updated':
      return tried(
        [
          'session_status_changed',
          'session_assigned',
          'label_added',
          'label_removed',
          ...handedOver(data.changes),
        ],
        { changes: data.changes },
      );
    case 'ai_pause':
      return tried(data.aiPaused ? ['ai_handed_over'] : []);
    case 'session_rated':
      return tried(['session_rated'], { score: data.score });
    case 'crm_record_created':
      return tried(['record_created'], onBoard);
    case 'comment_created':
      return tried(['comment_added'], onBoard);
    case 'crm_field_update':
      return fieldId === 'status'
        ? tried(['record_moved'], { ...onBoard, from: data.oldValue, to: data.newValue })
        : tried([`field_changed:${fieldId}`], onBoard);
    default:
      return tried([event], onBoard);
  }
}

const handedOver = (changes: { field: string; newValue: unknown }[]) =>
  changes.some(({ field, newValue }) => field === 'personRequested' && newValue === true)
    ? ['ai_handed_over']
    : [];

interface Unmet {
  reason: string;
  missed: MissedCondition | null;
}

/** Null: it would run. */
async function whyNot(tx: Tx, scene: Scene, rule: RuleContent, tried: Tried): Promise<Unmet | null> {
  if (tried.change && !isAbout(rule.trigger, tried.change)) {
    return {
      reason: `the event is not what the rule waits for: ${rule.trigger.on.replaceAll('_', ' ')}`,
      missed: null,
    };
  }
  return missedOf(tx, scene, tried, rule.conditions, 'conditions');
}

/** Why conditions are not met, as the steps so far have left things; null: they are. */
async function missedOf(
  tx: Tx,
  { config, actor, visible, now }: Scene,
  { sessionId, recordId, messageId }: Tried,
  value: unknown,
  path: string,
): Promise<Unmet | null> {
  const compiled = compile(config, value, path);
  const key: SubjectKey = sessionId === null ? { recordId, messageId } : { sessionId, recordId, messageId };
  const [subject] = await loadSubjects(tx, actor.accountId, config.definitions, [key], [compiled]);
  const result = await evaluate(compiled, seenBy(visible, subject!), now, evaluationOf(config));
  return result.matched ? null : result;
}

/** A card on a board that is hidden from the caller has no values. */
export function seenBy<S extends ConditionSubject>(visible: readonly string[] | null, subject: S): S {
  const { kanbanId, values } = subject;
  if (visible === null || kanbanId === null || visible.includes(kanbanId)) return subject;
  const shown = Object.entries(values).filter(([field]) => field.includes('.'));
  return { ...subject, values: Object.fromEntries(shown) };
}

async function previewRule(tx: Tx, scene: Scene, rule: RuleContent, tried: Tried): Promise<DryRunStep[]> {
  const shown = new Map<string, DryRunStep>();
  for (let path: string | null = firstPath; path !== null; ) {
    const step: RuleStep = stepAt(rule.steps, path)!;
    const one = await previewStep(tx, scene, step, path, tried);
    shown.set(path, one);
    if (step.type === 'stop' || one.state === 'problem') break;
    path = one.branch ? branchPath(rule.steps, path, one.branch) : nextPath(rule.steps, path);
  }
  return [...everyStep(rule.steps)].map(
    ({ at, step }) => shown.get(at) ?? { ...shownStep(step, at), state: 'not_reached' },
  );
}

const shownStep = ({ id, type }: RuleStep, path: string): Omit<DryRunStep, 'state'> => ({
  id,
  path,
  type,
  text: null,
  unfilled: [],
  reason: null,
  missed: null,
  input: null,
  branch: null,
  waitsUntil: null,
});

const states = {
  done: 'ready',
  unchanged: 'unchanged',
  skipped: 'not_applicable',
  failed: 'problem',
} as const;

async function previewStep(
  tx: Tx,
  scene: Scene,
  step: RuleStep,
  path: string,
  tried: Tried,
): Promise<DryRunStep> {
  const shown = shownStep(step, path);
  switch (step.type) {
    case 'stop':
      return { ...shown, state: 'ready' };
    case 'if': {
      const unmet = await missedOf(tx, scene, tried, step.condition, `${path}.condition`);
      const { reason = null, missed = null } = unmet ?? {};
      return { ...shown, state: 'ready', reason, missed, branch: unmet === null ? 'then' : 'else' };
    }
    case 'wait': {
      const { actor, config, now } = scene;
      const until = await waitEnd(tx, actor.accountId, config, tried, step, now);
      if (until === null)
        return { ...shown, state: 'not_applicable', reason: 'there is no time to wait for' };
      return until <= now
        ? { ...shown, state: 'unchanged', reason: 'the time has passed already' }
        : { ...shown, state: 'ready', waitsUntil: until };
    }
    default:
  }
  const filled = fillStep(scene, step);
  const { unfilled } = filled;
  const said = { ...shown, text: filled.step.text ?? null, unfilled, input: inputOf(filled.step) };
  // The answers of calls are not known before they are made.
  if (step.type === 'call' || (unfilled.length > 0 && unfilled.every(isOfCall))) {
    const missing = unfilled.filter((name) => !isOfCall(name));
    if (missing.length === 0) return { ...said, state: 'ready' };
    return { ...said, state: 'problem', reason: `placeholders without a value: ${missing.join(', ')}` };
  }
  const { state, reason } = await performStep(tx, scene, step);
  return { ...said, state: states[state], reason };
}

const isOfCall = (placeholder: string) => /^(\{\{)?\s*steps\./.test(placeholder);

function inputOf({ id: _id, type: _type, ...input }: Partial<RuleStep>): unknown {
  return input;
}
