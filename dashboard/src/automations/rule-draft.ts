/** A rule while it is edited: its conditions as the filter's form has them, and back to what the service reads. */
import type { Automation, AutomationCreate } from '../../../contract/automation/automations.ts';
import type { ConditionsValue } from '../../../contract/automation/conditions.ts';
import type { RuleStep } from '../../../contract/automation/steps.ts';
import type { Trigger } from '../../../contract/automation/triggers.ts';
import type { FilterCondition } from '../../../contract/crm/filters.ts';
import {
  type FilterGroup,
  isComplete,
  isGroup,
  readFilter,
  writeFilter,
} from '../board/filters/filter-model.ts';
import { hoursField } from './condition-fields.tsx';

export type DraftTrigger = Omit<Trigger, 'filter'> & { filter?: FilterGroup };
export interface DraftStep extends Omit<RuleStep, 'condition' | 'then' | 'else'> {
  condition?: FilterGroup;
  then?: DraftStep[];
  else?: DraftStep[];
}
export interface RuleDraft {
  name: string;
  trigger: DraftTrigger;
  conditions: FilterGroup;
  steps: DraftStep[];
  cooldownMinutes: number;
}
export type RuleContent = Pick<Automation, 'name' | 'trigger' | 'conditions' | 'steps' | 'cooldownMinutes'>;

type Node = { [name: string]: unknown };
const anything = { fields: [], statuses: [], others: {} };

function mapNodes(node: unknown, change: (leaf: Node) => Node): unknown {
  if (typeof node !== 'object' || node === null) return node;
  const { and, or, ...rest } = node as Node;
  const join = Array.isArray(and) ? 'and' : Array.isArray(or) ? 'or' : null;
  if (!join) return change(node as Node);
  return {
    ...rest,
    [join]: (node as { [join: string]: unknown[] })[join]!.map((one) => mapNodes(one, change)),
  };
}

/** Nothing is left out: what the form does not know, the service refuses at its place. */
export function readConditions(value: unknown): FilterGroup {
  const node = mapNodes(value, (leaf) =>
    hoursField in leaf
      ? { field: hoursField, op: leaf.is === false ? 'isNot' : 'is', value: leaf[hoursField] }
      : leaf,
  );
  const timeZone = (value as { timeZone?: string } | null | undefined)?.timeZone;
  return { ...readFilter(anything, node), ...(timeZone && { timeZone }) };
}

const conditionsOf = (group: FilterGroup): FilterCondition[] =>
  group.parts.flatMap((part) => (isGroup(part) ? conditionsOf(part) : part));
const isDay = (value: unknown) => typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value);
/** What a day is depends on where it is. */
const isAboutDays = ({ op, value }: FilterCondition) =>
  op === 'inLast' || op === 'inNext' || [value].flat().some(isDay);

export const readersZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Null: no condition. */
export function writeConditions(group: FilterGroup): ConditionsValue | null {
  const written = writeFilter(group);
  if (!written) return null;
  const node = mapNodes(written, (leaf) =>
    leaf.field === hoursField ? { [hoursField]: leaf.value, is: leaf.op === 'is' } : leaf,
  ) as ConditionsValue;
  return conditionsOf(group).some(isAboutDays)
    ? { ...node, timeZone: group.timeZone ?? readersZone() }
    : node;
}

function readStep({ condition, ...step }: RuleStep): DraftStep {
  const { then: met, else: unmet, ...rest } = step;
  if (step.type !== 'if') return rest;
  return {
    ...rest,
    condition: readConditions(condition),
    // biome-ignore lint/suspicious/noThenProperty: The name in the contract; no step is awaited.
    then: (met ?? []).map(readStep),
    else: (unmet ?? []).map(readStep),
  };
}

export function readRule({ name, trigger, conditions, steps, cooldownMinutes }: RuleContent): RuleDraft {
  const { filter, ...rest } = trigger;
  return {
    name,
    trigger: trigger.on === 'schedule' ? { ...rest, filter: readConditions(filter) } : rest,
    conditions: readConditions(conditions),
    steps: steps.map(readStep),
    cooldownMinutes,
  };
}

function writeStep(step: DraftStep): RuleStep {
  const { condition, then: met, else: unmet, ...rest } = step;
  if (step.type !== 'if') return rest;
  return {
    ...rest,
    condition: (condition && writeConditions(condition)) ?? {},
    // biome-ignore lint/suspicious/noThenProperty: The name in the contract; no step is awaited.
    then: (met ?? []).map(writeStep),
    else: (unmet ?? []).map(writeStep),
  };
}

export function writeRule({
  name,
  trigger,
  conditions,
  steps,
  cooldownMinutes,
}: RuleDraft): AutomationCreate {
  const { filter, ...rest } = trigger;
  return {
    name: name.trim(),
    trigger: filter ? { ...rest, filter: writeConditions(filter) } : rest,
    conditions: writeConditions(conditions),
    steps: steps.map(writeStep),
    cooldownMinutes,
  };
}

/** The first condition that is not finished; it would be left out. */
export function unfinished(group: FilterGroup | undefined, path: string): string | null {
  for (const [index, part] of (group?.parts ?? []).entries()) {
    const at = `${path}.${group!.join}[${index}]`;
    const inside = isGroup(part) ? unfinished(part, at) : isComplete(part) ? null : at;
    if (inside !== null) return inside;
  }
  return null;
}

export interface PlacedStep {
  step: DraftStep;
  path: string;
}
/** All steps, those of branches included. */
export const everyStep = (steps: readonly DraftStep[] = [], path = 'steps'): PlacedStep[] =>
  steps.flatMap((step, index) => {
    const at = `${path}[${index}]`;
    return [{ step, path: at }, ...everyStep(step.then, `${at}.then`), ...everyStep(step.else, `${at}.else`)];
  });

export const noConditions = (): FilterGroup => ({ join: 'and', parts: [] });
