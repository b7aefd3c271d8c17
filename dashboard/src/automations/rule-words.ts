/** A rule as a sentence: when, if, then. */
import type { Filterable, FilterGroup } from '../board/filters/filter-model.ts';
import { isGroup } from '../board/filters/filter-model.ts';
import { nameOfJoin, wordsOfPart } from '../board/filters/filter-words.ts';
import { useNameOf } from '../board/filters/use-name-of.ts';
import { t } from '../texts/texts.ts';
import { useConditionFields } from './condition-fields.tsx';
import { type DraftStep, type RuleContent, type RuleDraft, readConditions } from './rule-draft.ts';
import { type RuleStepWords, useRuleStepWords } from './rule-step-words.ts';
import { type TriggerWords, useTriggerWords } from './trigger-words.ts';

export interface RuleWords {
  trigger: TriggerWords;
  conditions(group: FilterGroup): string;
  step: RuleStepWords;
  /** “When a customer writes, and …”. */
  when(rule: RuleContent | RuleDraft): string;
}

const isRead = (value: object | null | undefined): value is FilterGroup => Boolean(value && 'parts' in value);
const groupOf = (value: object | null | undefined) => (isRead(value) ? value : readConditions(value));

/** “and owner is empty”: a name that is an abbreviation stays as it is. */
const inSentence = (label: string) =>
  /^.\p{Lu}/u.test(label) ? label : label.charAt(0).toLocaleLowerCase() + label.slice(1);
const inSentences = (fields: Filterable): Filterable => ({
  ...fields,
  others: Object.fromEntries(
    Object.entries(fields.others ?? {}).map(([name, field]) => [
      name,
      { ...field, label: inSentence(field.label) },
    ]),
  ),
});

export function useRuleWords(): RuleWords {
  const fields = inSentences(useConditionFields());
  const nameOf = useNameOf();
  const trigger = useTriggerWords();
  const conditions = (group: FilterGroup) =>
    group.parts
      .map((part) => (isGroup(part) || part.field !== '' ? wordsOfPart(fields, part, nameOf) : '…'))
      .join(` ${nameOfJoin(group.join)} `);
  const step = useRuleStepWords((one) => conditions(groupOf((one as DraftStep).condition)));
  const when = (rule: RuleContent | RuleDraft) => {
    const asked = conditions(groupOf(rule.conditions));
    const begin = trigger(rule.trigger);
    return asked ? t('automation.words.when', { when: begin, conditions: asked }) : begin;
  };
  return { trigger, conditions, step, when };
}
