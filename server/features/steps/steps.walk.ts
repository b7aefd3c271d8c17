/** All steps of a rule, and all texts of a step. */
import type { RuleStep } from '../../../contract/automation/steps.ts';
import type { Step } from './steps.fill.ts';

/** With those inside of branches, each with its place, such as `steps[3].else[0]`. */
export function* everyStep(
  steps: readonly RuleStep[],
  path = 'steps',
): Iterable<{ at: string; step: RuleStep }> {
  for (const [index, step] of steps.entries()) {
    const at = `${path}[${index}]`;
    yield { at, step };
    yield* everyStep(step.then ?? [], `${at}.then`);
    yield* everyStep(step.else ?? [], `${at}.else`);
  }
}

/** Those that may have placeholders, each with its place, such as `parameters[0]`. */
export function* textsOf({
  text,
  title,
  parameters,
  customFields,
  ...step
}: Step): Iterable<[string, string]> {
  yield* textsIn('text', text);
  yield* textsIn('title', title);
  yield* textsIn('parameters', parameters);
  yield* textsIn('customFields', customFields);
  yield* textsIn('arguments', step.arguments);
  yield* textsIn('body', step.body);
}

function* textsIn(place: string, value: unknown): Iterable<[string, string]> {
  if (typeof value === 'string') yield [place, value];
  if (typeof value !== 'object' || value === null) return;
  const isList = Array.isArray(value);
  for (const [name, one] of Object.entries(value)) {
    yield* textsIn(isList ? `${place}[${name}]` : `${place}.${name.slice(0, 100)}`, one);
  }
}
