/** The places of steps in a rule: `steps[2].then[0]`. */
import type { RuleStep } from '../../../contract/automation/steps.ts';

export const firstPath = 'steps[0]';

type Branch = 'then' | 'else';

/** Null: the rule has no such step. */
export function stepAt(steps: readonly RuleStep[], path: string): RuleStep | null {
  let list: readonly RuleStep[] = steps;
  let found: RuleStep | null = null;
  for (const [, name, index] of path.matchAll(/(steps|then|else)\[(\d+)\]/g)) {
    if (name !== 'steps') list = found?.[name as Branch] ?? [];
    found = list[Number(index)] ?? null;
    if (!found) return null;
  }
  return found;
}

/** After a step that is no `if`, or after a branch: the next one of its list, or of those around it. Null: the end. */
export function nextPath(steps: readonly RuleStep[], path: string): string | null {
  for (let at = path; ; at = parentOf(at)) {
    const [, list, index] = /^(.*)\[(\d+)\]$/.exec(at)!;
    const next = `${list}[${Number(index) + 1}]`;
    if (stepAt(steps, next)) return next;
    if (list === 'steps') return null;
  }
}

/** The first step of a branch; without one, what comes after the `if`. */
export function branchPath(steps: readonly RuleStep[], path: string, branch: Branch): string | null {
  const first = `${path}.${branch}[0]`;
  return stepAt(steps, first) ? first : nextPath(steps, path);
}

const parentOf = (path: string) => path.slice(0, path.lastIndexOf('.'));
