/** What is kept of the answer of a call: all of a small one, of a larger one what later steps use. */
import type { RuleStep } from '../../../contract/automation/steps.ts';
import { limits } from '../../../contract/limits.ts';
import { placeholdersIn } from '../../../contract/shapes/placeholders.ts';
import { readPath, valueAt } from './steps.fill.ts';
import { everyStep, textsOf } from './steps.walk.ts';

export interface CallAnswer {
  status: number | null;
  body: unknown;
}

const fits = (value: unknown) => Buffer.byteLength(JSON.stringify(value)) <= limits.automation.shownBytes;

/** At most 4 KB, as `{{steps.<id>.…}}` finds it. Values that do not fit are left out. */
export function keptAnswer(steps: readonly RuleStep[], stepId: string, answer: CallAnswer): CallAnswer {
  if (fits(answer)) return answer;
  const kept: CallAnswer = { status: answer.status, body: null };
  for (const parts of usedPaths(steps, stepId)) {
    const value = valueAt(answer, parts);
    if (value === undefined) continue;
    const before = structuredClone(kept.body);
    place(kept as unknown as Record<string, unknown>, parts, value);
    if (!fits(kept)) kept.body = before;
  }
  return kept;
}

/** Of the answer: `body.items.0.price`. */
function* usedPaths(steps: readonly RuleStep[], stepId: string): Iterable<string[]> {
  for (const { step } of everyStep(steps)) {
    for (const [, text] of textsOf(step)) {
      for (const { name } of placeholdersIn(text)) {
        const path = readPath(name);
        if (path?.from === 'steps' && path.parts[0] === stepId) yield path.parts.slice(1);
      }
    }
  }
}

/** A part of a list becomes a property of its number. */
function place(into: Record<string, unknown>, parts: readonly string[], value: unknown): void {
  const [name, ...rest] = parts as [string, ...string[]];
  if (rest.length === 0) {
    into[name] = value;
    return;
  }
  const inside = into[name];
  const next = typeof inside === 'object' && inside !== null ? inside : {};
  into[name] = next;
  place(next as Record<string, unknown>, rest, value);
}
