/** A field's value as people read it. */
import { Check, X } from 'lucide-react';
import type { KanbanField } from '../../../contract/crm/kanbans.ts';
import { dateTime, money, number, plainDate } from '../texts/format.ts';
import { shownPhone } from '../texts/phone.ts';
import { t } from '../texts/texts.ts';
import { OptionLabel } from '../ui/display/badge.tsx';
import { hueOfOption } from '../ui/hues.ts';

export const isEmptyValue = (value: unknown) =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

/** As plain text, for titles, tips and messages. */
export function valueText(
  { type, currency }: Pick<KanbanField, 'type' | 'currency'>,
  value: unknown,
): string {
  if (isEmptyValue(value)) return '';
  switch (type) {
    case 'number':
      return number(Number(value));
    case 'currency':
      return money(Number(value), currency);
    case 'date':
      return plainDate(String(value));
    case 'datetime':
      return dateTime(Number(value));
    case 'boolean':
      return value ? t('fields.yes') : t('fields.no');
    case 'multiselect':
      return (value as string[]).join(', ');
    case 'phone':
      return shownPhone(String(value));
    default:
      return String(value);
  }
}

/** In place of the editor, for people who may not change it. */
export function ReadOnlyValue({
  field,
  value,
}: {
  field: Pick<KanbanField, 'type' | 'options' | 'currency'>;
  value: unknown;
}) {
  return (
    <div className="flex min-h-8 items-center px-2 py-1">
      {isEmptyValue(value) ? (
        <span className="text-faint">{t('fields.empty')}</span>
      ) : field.type === 'textarea' ? (
        <span className="whitespace-pre-wrap wrap-anywhere">{String(value)}</span>
      ) : (
        <FieldValue field={field} value={value} />
      )}
    </div>
  );
}

export function FieldValue({
  field,
  value,
}: {
  field: Pick<KanbanField, 'type' | 'options' | 'currency'>;
  value: unknown;
}) {
  if (isEmptyValue(value)) return null;
  switch (field.type) {
    case 'boolean':
      return value ? (
        <span className="inline-flex items-center gap-1">
          <Check className="size-3.5 text-success" /> {t('fields.yes')}
        </span>
      ) : (
        <span className="inline-flex items-center gap-1 text-muted">
          <X className="size-3.5" /> {t('fields.no')}
        </span>
      );
    case 'select':
      return <OptionLabel hue={hueOfOption(String(value), field.options)}>{String(value)}</OptionLabel>;
    case 'multiselect':
      return (
        <span className="flex min-w-0 flex-wrap gap-1">
          {(value as string[]).map((one) => (
            <OptionLabel key={one} hue={hueOfOption(one, field.options)}>
              {one}
            </OptionLabel>
          ))}
        </span>
      );
    case 'number':
    case 'currency':
      return <span className="tabular">{valueText(field, value)}</span>;
    default:
      return <span className="truncate">{valueText(field, value)}</span>;
  }
}
