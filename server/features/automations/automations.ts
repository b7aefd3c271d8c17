/**
 * Rules: when something happens, and its conditions are met, a rule takes its steps. What they promise is in
 * docs/automation.md; the worker that runs them is automations.jobs.ts.
 */
import { createHash, randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type {
  Automation,
  AutomationCreate,
  AutomationPut,
  AutomationSaved,
} from '../../../contract/automation/automations.ts';
import { limits } from '../../../contract/limits.ts';
import type { Db, Reader, Tx } from '../../platform/db/db.ts';
import { newEndpointSecret } from '../../platform/events/endpoints.ts';
import { badRequest, conflict, limitReached, notFound } from '../../platform/http/errors.ts';
import { isId, newId } from '../../platform/ids.ts';
import { sealedFor } from '../../platform/secrets/sealed-columns.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { type Actor, audit, differences } from '../accounts/accounts.ts';
import type { UsesOfHours } from '../business-hours/business-hours.ts';
import { type CheckedRule, checkRule, contentOf, type RuleContext } from './automations.check.ts';

export { eraseAutomations } from './automations.past.sql.ts';
export { insertPastCauses, type PastCause } from './automations.past.ts';
export { backtestJobKind } from './trying/trying.backtest.ts';

import { cancelRunsOfRule, deleteOldRuns } from './automations.runs.sql.ts';
import {
  deleteAutomation,
  insertAutomation,
  lockAutomations,
  type RuleContent,
  type StoredRule,
  selectAutomations,
  selectNamesUsing,
  updateAutomation,
  updateHook,
  updateOrder,
  updateSecret,
} from './automations.sql.ts';
import { beginTimers } from './automations.timers.ts';
import { deleteOldVerdicts, moveEndedCauses } from './automations.verdicts.sql.ts';
import { wakeAutomations } from './automations.wake.ts';

export interface ManageContext extends RuleContext {
  now: number;
  secrets: Secrets;
}

/** Hours that a rule refers to cannot be deleted. */
export const automationsWithHours: UsesOfHours = {
  find: async (db, accountId, hoursId) =>
    (await selectNamesUsing(db, accountId, hoursId)).map((rule) => ({ type: 'automation', ...rule })),
};

export const listAutomations = (
  db: Reader,
  accountId: string,
  now: number,
  uses?: string,
): Promise<Automation[]> => selectAutomations(db, accountId, { now, uses });

export async function requireAutomation(
  db: Reader,
  accountId: string,
  now: number,
  id: string,
): Promise<Automation> {
  const [rule] = isId(id) ? await selectAutomations(db, accountId, { now, id }) : [];
  if (!rule) throw notFound('rule');
  return rule;
}

export async function createAutomation(
  tx: Tx,
  context: ManageContext,
  input: AutomationCreate,
): Promise<AutomationSaved> {
  const { actor, now } = context;
  const { accountId } = actor;
  const content = contentOf(input);
  const checked = await checkRule(context, content);
  const rules = await lockAutomations(tx, accountId);
  const max = limits.automation.rules;
  if (rules.length >= max) throw limitReached(`an account can have at most ${max} rules`);
  const enabled = input.enabled ?? false;
  if (enabled) checkEnabled(rules);
  const rule: StoredRule = {
    id: newId(now),
    ...checked,
    enabled,
    disabledReason: null,
    order: (rules.at(-1)?.order ?? 0) + 1,
    version: 1,
    hasHook: false,
    hasSecret: false,
    createdAt: now,
    updatedAt: now,
    updatedBy: { id: actor.id, name: actor.name },
  };
  await insertAutomation(tx, accountId, rule);
  await beginTimers(tx, accountId, rule, now);
  await audit(tx, actor, now, {
    action: 'automation.created',
    target: { type: 'automation', id: rule.id },
    changes: differences({}, { ...audited(rule), enabled }),
  });
  wakeAutomations(tx);
  return saved(tx, context, rule);
}

export async function replaceAutomation(
  tx: Tx,
  context: ManageContext,
  id: string,
  { expectedVersion, ...input }: AutomationPut,
): Promise<AutomationSaved> {
  const { actor, now } = context;
  const { accountId } = actor;
  const rules = await lockAutomations(tx, accountId);
  const before = required(rules, id);
  if (before.version !== expectedVersion) throw conflict('the rule has changed meanwhile');
  const checked = await checkRule(context, contentOf(input));
  const enabled = input.enabled ?? before.enabled;
  if (enabled && !before.enabled) checkEnabled(rules);
  const isNew = !isDeepStrictEqual(audited(checked), audited(before));
  const after: StoredRule = {
    ...before,
    ...checked,
    enabled,
    disabledReason: enabled ? null : before.disabledReason,
    version: before.version + (isNew ? 1 : 0),
    updatedAt: now,
    updatedBy: { id: actor.id, name: actor.name },
  };
  await change(tx, context, before, after);
  return saved(tx, context, after);
}

export async function enableAutomation(
  tx: Tx,
  context: ManageContext,
  id: string,
  enabled: boolean,
): Promise<Automation> {
  const { actor, now } = context;
  const rules = await lockAutomations(tx, actor.accountId);
  const before = required(rules, id);
  if (enabled && !before.enabled) {
    checkEnabled(rules);
    // What it refers to may be gone by now.
    await checkRule(context, contentOf(before));
  }
  if (enabled !== before.enabled) {
    const after: StoredRule = {
      ...before,
      enabled,
      disabledReason: null,
      updatedAt: now,
      updatedBy: { id: actor.id, name: actor.name },
    };
    await change(tx, context, before, after);
  }
  return requireAutomation(tx, actor.accountId, now, id);
}

async function change(
  tx: Tx,
  { actor, now }: ManageContext,
  before: StoredRule,
  after: StoredRule,
): Promise<void> {
  await updateAutomation(tx, actor.accountId, after, before);
  if (after.enabled !== before.enabled || after.version !== before.version) {
    await beginTimers(tx, actor.accountId, after, now);
  }
  await audit(tx, actor, now, {
    action: 'automation.updated',
    target: { type: 'automation', id: after.id },
    changes: differences(
      { ...audited(before), enabled: before.enabled },
      { ...audited(after), enabled: after.enabled },
    ),
  });
  wakeAutomations(tx);
}

export async function removeAutomation(tx: Tx, actor: Actor, now: number, id: string): Promise<void> {
  const rules = await lockAutomations(tx, actor.accountId);
  const { name } = required(rules, id);
  await cancelRunsOfRule(tx, actor.accountId, id, now);
  await deleteAutomation(tx, actor.accountId, id);
  await audit(tx, actor, now, {
    action: 'automation.deleted',
    target: { type: 'automation', id },
    changes: { name: { from: name, to: null } },
  });
}

export async function reorderAutomations(
  tx: Tx,
  actor: Actor,
  now: number,
  ids: readonly string[],
): Promise<Automation[]> {
  const { accountId } = actor;
  const before = (await lockAutomations(tx, accountId)).map(({ id }) => id);
  const unknown = ids.findIndex((id) => !before.includes(id));
  if (unknown >= 0) throw badRequest(`ids[${unknown}] does not exist`);
  const missing = before.find((id) => !ids.includes(id));
  if (missing !== undefined) throw badRequest(`ids must have all rules: ${missing} is missing`);
  if (!isDeepStrictEqual(before, ids)) {
    await updateOrder(tx, accountId, ids);
    await audit(tx, actor, now, {
      action: 'automation.reordered',
      target: { type: 'automation', id: accountId },
      changes: { order: { from: before, to: ids } },
    });
  }
  return listAutomations(tx, accountId, now);
}

export async function rotateHook(tx: Tx, actor: Actor, now: number, id: string): Promise<string> {
  const rule = required(await lockAutomations(tx, actor.accountId), id);
  if (rule.trigger.on !== 'hook') throw conflict('the rule has no hook: its trigger is another');
  const token = await newHook(tx, actor.accountId, id);
  await audit(tx, actor, now, { action: 'automation.hook_rotated', target: { type: 'automation', id } });
  return token;
}

export async function rotateSecret(
  tx: Tx,
  { actor, now, secrets }: Pick<ManageContext, 'actor' | 'now' | 'secrets'>,
  id: string,
): Promise<string> {
  const rule = required(await lockAutomations(tx, actor.accountId), id);
  if (!callsUrl(rule.steps)) throw conflict('the rule has no call to a url');
  const secret = await newSecret(tx, secrets, actor.accountId, id);
  await audit(tx, actor, now, { action: 'automation.secret_rotated', target: { type: 'automation', id } });
  return secret;
}

/** With what is shown only once. */
async function saved(tx: Tx, context: ManageContext, rule: StoredRule): Promise<AutomationSaved> {
  const { actor, now, secrets } = context;
  const { accountId } = actor;
  const needsHook = rule.trigger.on === 'hook';
  if (!needsHook && rule.hasHook) await updateHook(tx, accountId, rule.id, null);
  const hookToken = needsHook && !rule.hasHook ? await newHook(tx, accountId, rule.id) : undefined;
  const secret =
    callsUrl(rule.steps) && !rule.hasSecret ? await newSecret(tx, secrets, accountId, rule.id) : undefined;
  const shown = await requireAutomation(tx, accountId, now, rule.id);
  return {
    ...shown,
    ...(hookToken !== undefined && { hookToken }),
    ...(secret !== undefined && { secret }),
  };
}

const dayMs = 86_400_000;
const prunedAtOnce = 1_000;

/** Verdicts and runs that are older than they are kept. */
export async function pruneAutomations(db: Db, now: number): Promise<void> {
  const before = now - limits.automation.verdictDays * dayMs;
  await db.transaction(moveEndedCauses);
  for (const prune of [deleteOldVerdicts, deleteOldRuns]) {
    let count: number;
    do count = await db.transaction((tx) => prune(tx, before, prunedAtOnce));
    while (count === prunedAtOnce);
  }
}

/** 256 bits; only its hash is stored. */
async function newHook(tx: Tx, accountId: string, id: string): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await updateHook(tx, accountId, id, hashOfToken(token));
  return token;
}

export const hashOfToken = (token: string): Buffer => createHash('sha256').update(token).digest();

async function newSecret(tx: Tx, secrets: Secrets, accountId: string, id: string): Promise<string> {
  const secret = newEndpointSecret();
  await updateSecret(tx, accountId, id, secrets.seal(secret, sealedFor.automation(id)));
  return secret;
}

const callsUrl = (steps: RuleContent['steps']): boolean =>
  steps.some(
    (step) =>
      (step.type === 'call' && step.url !== undefined) ||
      callsUrl(step.then ?? []) ||
      callsUrl(step.else ?? []),
  );

function required(rules: readonly StoredRule[], id: string): StoredRule {
  const rule = rules.find((one) => one.id === id);
  if (!rule) throw notFound('rule');
  return rule;
}

function checkEnabled(rules: readonly StoredRule[]): void {
  const max = limits.automation.enabled;
  if (rules.filter(({ enabled }) => enabled).length >= max) {
    throw limitReached(`an account can have at most ${max} enabled rules`);
  }
}

function audited({ name, trigger, conditions, steps, cooldownMinutes }: RuleContent | CheckedRule): object {
  return { name, trigger, conditions, steps, cooldownMinutes };
}
