/** Behind the display button: by which field, and how much at once. */
import { fieldLabel } from '../../fields/field-label.ts';
import { t } from '../../texts/texts.ts';
import { Field } from '../../ui/controls/input.tsx';
import { Segmented } from '../../ui/controls/segmented.tsx';
import { Select } from '../../ui/controls/select.tsx';
import type { DisplayProps } from '../data/layout-props.ts';
import { calendarLook, dateFields, withCalendarLook } from './calendar-data.ts';

export default function CalendarDisplay({ board, look, onLook }: DisplayProps) {
  const { field, span } = calendarLook(board, look);
  if (!field) return <p className="p-3 text-muted">{t('calendar.noField.title')}</p>;
  const fields = dateFields(board);
  return (
    <div className="flex flex-col gap-3 p-3">
      <Field label={t('calendar.field')}>
        {(ids) => (
          <Select
            {...ids}
            value={field.id}
            onChange={(id) => onLook(withCalendarLook(look, fields.find((one) => one.id === id)!, span))}
            options={fields.map((one) => ({ value: one.id, label: fieldLabel(one) }))}
          />
        )}
      </Field>
      <div className="flex">
        <Segmented
          label={t('calendar.span')}
          value={span}
          onChange={(next) => onLook(withCalendarLook(look, field, next))}
          segments={[
            { value: 'month', label: t('calendar.span.month') },
            { value: 'week', label: t('calendar.span.week') },
          ]}
        />
      </div>
    </div>
  );
}
