/** Why a rule did not run, in the reader's language. The service's own sentence is English. */
import type { MissedCondition } from '../../../contract/automation/conditions.ts';
import type { TriggerName } from '../../../contract/automation/triggers.ts';
import { isEmptyValue, valueText } from '../fields/field-value.tsx';
import { lengthText } from '../macros/step-words.ts';
import { dateTime, number } from '../texts/format.ts';
import { t } from '../texts/texts.ts';
import { hoursField, useConditionFields } from './condition-fields.tsx';
import { triggerGroups } from './trigger-words.ts';

interface Reason {
  reason: string | null;
  missed: MissedCondition | null;
}
export type ReasonWords = (one: Reason) => string;

export function useReasonWords(): ReasonWords {
  const missedWords = useMissedWords();
  return ({ reason, missed }) => (missed && missedWords(missed)) ?? sentenceOf(reason ?? '');
}

/** Null: it is about a field that no longer exists. */
function useMissedWords(): (missed: MissedCondition) => string | null {
  const { fields, others = {} } = useConditionFields();
  return ({ field, value, isOpen }) => {
    const other = others[field];
    const nameOf = (one: unknown) =>
      other?.options?.find((option) => option.value === String(one))?.label ?? null;
    if (field === hoursField) {
      const name = nameOf(value);
      if (name === null) return t('automation.reason.hoursGone');
      return t(isOpen ? 'automation.reason.open' : 'automation.reason.closed', { name });
    }
    const own = fields.find(({ id }) => id === field);
    const label = other?.label ?? own?.name;
    if (label === undefined) return null;
    if (isEmptyValue(value)) return t('automation.reason.empty', { field: label });
    const shownOne = (one: unknown): string => {
      if (other?.options) return nameOf(one) ?? t('macros.gone');
      if (own) return valueText(own, one);
      if (other?.comparison === 'time') return dateTime(Number(one));
      return typeof one === 'number' ? number(one) : `“${one}”`;
    };
    const shown =
      own?.type === 'multiselect' ? valueText(own, value) : [value].flat().map(shownOne).join(', ');
    return t('automation.reason.was', { field: label, value: shown });
  };
}

/** With `reason` as the service writes it: docs/automation.md. */
const sentences: readonly (readonly [RegExp, (found: string) => string])[] = [
  [/^too_often$/, () => t('automation.reason.tooOften')],
  [/^no_subject$/, () => t('automation.reason.noSubject')],
  [
    /^cooldown: it ran less than (\d+) minutes ago$/,
    (minutes) => t('automation.reason.cooldown', { time: lengthText(Number(minutes)) }),
  ],
  [/^would repeat itself: (.+)$/s, (path) => t('automation.reason.loop', { path: chainWords(path) })],
  [
    /^the chain would be longer than \d+ rules: (.+)$/s,
    (path) => t('automation.reason.chain', { path: chainWords(path) }),
  ],
  [/^the event is not what the rule waits for: /, () => t('automation.reason.otherEvent')],
];

function sentenceOf(reason: string): string {
  for (const [pattern, words] of sentences) {
    const found = pattern.exec(reason);
    if (found) return words(found[1] ?? '');
  }
  return reason;
}

const triggerNames = new Map<string, TriggerName>(
  triggerGroups.flatMap(({ triggers }) =>
    triggers.map((name: TriggerName) => [name.replaceAll('_', ' '), name] as const),
  ),
);
/** “rule A -> label added -> rule B”: between the rules are events. */
const chainWords = (path: string) =>
  path
    .split(' -> ')
    .map((part, index) => {
      const event = index % 2 === 1 ? triggerNames.get(part) : undefined;
      return event ? t(`automation.trigger.${event}`) : part;
    })
    .join(' → ');
