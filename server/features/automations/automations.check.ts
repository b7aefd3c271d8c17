/** Checks a rule that is saved: everything that it names exists, and its steps can work for its trigger. */
import { limits } from '../../../contract/limits.ts';
import type { Reader } from '../../platform/db/db.ts';
import { badRequest } from '../../platform/http/errors.ts';
import type { OutboundAllow } from '../../platform/outbound/outbound-address.ts';
import type { Actor } from '../accounts/accounts.ts';
import type { AccountConfig } from '../channels/channels.ts';
import { checkConditions } from '../conditions/conditions.ts';
import { checkRuleSteps, everyStep } from '../steps/steps.ts';
import { fieldOfAccount } from './automations.fields.ts';
import type { RuleContent } from './automations.sql.ts';
import { checkTrigger, listensOf, refsOf, subjectKindOf } from './automations.triggers.ts';

export interface RuleContext {
  db: Reader;
  actor: Actor;
  config: AccountConfig;
  canMail: boolean;
  outboundAllow: OutboundAllow;
}

export interface CheckedRule extends RuleContent {
  listens: string[];
  refs: string[];
}

/** As it is stored. A 400 has the place of the mistake, such as `steps[3].else[0].teamId does not exist`. */
export async function checkRule(context: RuleContext, given: RuleContent): Promise<CheckedRule> {
  const { db, actor, config, canMail, outboundAllow } = context;
  const { definitions, directory } = config;
  const hasHours = (id: string) => directory.hours.byId.has(id);
  const uses: string[] = [];
  const check = async (value: unknown, path: string) => {
    const checked = await checkConditions(
      value,
      { db, accountId: actor.accountId, config, hasHours, fieldOf: fieldOfAccount(definitions, actor) },
      path,
    );
    uses.push(...(checked?.uses ?? []));
  };
  const trigger = await checkTrigger({ db, actor, definitions, hasHours }, given.trigger);
  if (trigger.filter) await check(trigger.filter, 'trigger.filter');
  if (given.conditions !== null) await check(given.conditions, 'conditions');
  const kind = subjectKindOf(trigger);
  const isSomething = kind !== 'nothing';
  const steps = await checkRuleSteps(
    db,
    {
      actor,
      config,
      has: { session: isSomething, record: isSomething, payload: trigger.on === 'hook' },
      canMail,
      outboundAllow,
      checkCondition: (condition, path) => check(condition, path),
      checkHours(id, path) {
        if (!hasHours(id)) throw badRequest(`${path} does not exist`);
      },
    },
    given.steps,
  );
  const refs = [...refsOf(trigger), ...uses, ...refsOfSteps(steps)];
  const { name, conditions, cooldownMinutes } = given;
  return {
    name,
    trigger,
    conditions,
    steps,
    cooldownMinutes: Math.min(cooldownMinutes, limits.automation.cooldownMinutes),
    listens: listensOf(trigger),
    refs: [...new Set(refs)],
  };
}

/** The ids that steps refer to. A status of a board is `board/status`. */
function refsOfSteps(steps: RuleContent['steps']): string[] {
  const refs: (string | null | undefined)[] = [];
  for (const { step } of everyStep(steps)) {
    const { kanbanId, status, until } = step;
    refs.push(
      ...(step.addLabelIds ?? []),
      ...(step.removeLabelIds ?? []),
      step.assignedUserId,
      ...(step.assignedUserIds ?? []),
      step.teamId,
      ...(step.userIds ?? []),
      ...(step.teamIds ?? []),
      kanbanId,
      kanbanId !== undefined && status !== undefined ? `${kanbanId}/${status}` : null,
      ...Object.keys(step.customFields ?? {}),
      step.agentId,
      step.toolId,
      step.hoursId,
      until === 'next_opening' ? null : until,
    );
  }
  return refs.filter((id): id is string => typeof id === 'string');
}

/** What a request says about a rule. */
export function contentOf(input: {
  name: string;
  trigger: RuleContent['trigger'];
  conditions?: RuleContent['conditions'];
  steps: RuleContent['steps'];
  cooldownMinutes?: number;
}): RuleContent {
  const name = input.name.trim();
  if (name === '') throw badRequest('name is required');
  const { trigger, conditions = null, steps, cooldownMinutes = 0 } = input;
  return { name, trigger, conditions, steps, cooldownMinutes };
}
