/** A text with placeholders, which can be chosen from a list. */
import { useRef } from 'react';
import { limits } from '../../../../contract/limits.ts';
import { insertAt } from '../../inbox/composer/saved/insert-at.ts';
import { PlaceholderHelp } from '../../inbox/composer/saved/lazy-placeholder-help.tsx';
import { t } from '../../texts/texts.ts';
import { Field, TextArea } from '../../ui/controls/input.tsx';
import type { StepFieldsProps } from './edited-steps.ts';

/** Nobody runs a rule, so it has no operator. */
const rulePlaceholders = ['customer', 'first name', 'board'];

export function TextWithPlaceholders({
  text,
  rule,
  onChange,
}: {
  text: string;
  rule: StepFieldsProps['rule'];
  onChange(text: string): void;
}) {
  const area = useRef<HTMLTextAreaElement>(null);
  return (
    <>
      <Field label={t('macros.field.text')}>
        {(ids) => (
          <TextArea
            {...ids}
            ref={area}
            rows={3}
            value={text}
            maxLength={limits.messageLength}
            onChange={(event) => onChange(event.target.value)}
          />
        )}
      </Field>
      <PlaceholderHelp
        text={text}
        names={rule && rulePlaceholders}
        more={rule?.placeholders}
        onInsert={(piece) => insertAt(area.current, piece, onChange)}
      />
    </>
  );
}
