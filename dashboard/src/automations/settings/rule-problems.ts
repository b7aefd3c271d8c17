/** Where the service found a mistake in a rule, and how it is said there. */
import { createContext, useContext } from 'react';
import { ApiError } from '../../data/errors.ts';
import { t } from '../../texts/texts.ts';
import { everyStep, type RuleDraft, unfinished } from '../rule-draft.ts';
import { ruleStepNames } from '../rule-step-words.ts';

export interface Problem {
  /** As the service writes it, such as `steps[3].else[0].teamId`. */
  path: string;
  message: string;
}

const place = /^((?:trigger|conditions|steps|name|cooldownMinutes)(?:\[\d+\]|\.[\w-]+)*)[:,]?\s+(.+)$/s;

/** Null: the error is about no place in the rule. */
export function readProblem(error: unknown): Problem | null {
  const found = error instanceof ApiError && error.status === 400 ? place.exec(error.message) : null;
  if (!found) return null;
  return { path: found[1]!, message: wordsOf(found[1]!, found[2]!.trim()) };
}

/** The messages that are met most are translated, others quoted. Steps are numbered from 1 here. */
function wordsOf(path: string, message: string): string {
  if (/^does not exist$/.test(message)) return t('automation.problem.gone');
  if (/^(is required|must not be empty|must NOT have fewer than 1)/i.test(message))
    return t('automation.problem.required');
  if (/^needs steps in/.test(message)) return t('automation.problem.noSteps');
  const property = /\.([A-Za-z]\w*)$/.exec(path)?.[1];
  const text = message.replaceAll(/\bsteps\[(\d+)\]/g, (_, index) => `#${Number(index) + 1}`);
  return t('automation.problem.refused', { message: property ? `${property} ${text}` : text });
}

/** What the service would refuse or a form would leave out, before it is asked. */
export function findProblem(draft: RuleDraft): Problem | null {
  const unfinishedAt = (path: string | null) =>
    path === null ? null : { path, message: t('automation.problem.condition') };
  const own = unfinishedAt(
    unfinished(draft.trigger.filter, 'trigger.filter') ?? unfinished(draft.conditions, 'conditions'),
  );
  if (own) return own;
  if (draft.steps.length === 0) return { path: 'steps', message: t('automation.problem.noStep') };
  for (const { step, path } of everyStep(draft.steps)) {
    if (step.type !== 'if') continue;
    if (!step.condition || step.condition.parts.length === 0)
      return { path: `${path}.condition`, message: t('automation.problem.condition') };
    const at = unfinishedAt(unfinished(step.condition, `${path}.condition`));
    if (at) return at;
  }
  return null;
}

const ProblemContext = createContext<Problem | null>(null);
export const ProblemProvider = ProblemContext.Provider;

/** What is wrong at this place itself, not in a step or a condition inside of it that shows it. */
export function useProblemAt(path: string): string | null {
  const problem = useContext(ProblemContext);
  if (!problem?.path.startsWith(path)) return null;
  const rest = problem.path.slice(path.length);
  if (rest !== '' && rest[0] !== '.' && rest[0] !== '[') return null;
  return /^\.(then|else)\[/.test(rest) || /(^|\.condition|\.filter)\.(and|or)\[/.test(rest)
    ? null
    : problem.message;
}

/** For the rows of conditions. */
export function useProblemIn(): (path: string) => string | null {
  const problem = useContext(ProblemContext);
  return (path) =>
    problem && (problem.path === path || problem.path.startsWith(`${path}.`)) ? problem.message : null;
}

/** Whether a step, or one inside of it, has the problem. */
export const useHasProblem = (path: string): boolean => {
  const problem = useContext(ProblemContext);
  return (
    problem !== null &&
    (problem.path === path || /^[.[]/.test(problem.path.slice(path.length))) &&
    problem.path.startsWith(path)
  );
};

/** “Step 3 (Send a reply)”, for the message beside the button. */
export function whereWords(draft: RuleDraft, { path }: Problem): string {
  if (path.startsWith('trigger')) return t('automation.when');
  if (path.startsWith('conditions')) return t('automation.if');
  const inside = everyStep(draft.steps)
    .filter((one) => path.startsWith(one.path))
    .at(-1);
  const number = /^steps\[(\d+)\]/.exec(path)?.[1];
  if (!inside || number === undefined) return path === 'name' ? t('automation.name') : t('automation.then');
  return t('automation.problem.step', {
    number: Number(number) + 1,
    name: ruleStepNames[inside.step.type](),
  });
}
