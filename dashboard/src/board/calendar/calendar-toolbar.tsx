import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { Kanban } from '../../../../contract/crm/kanbans.ts';
import { FieldIcon } from '../../fields/field-icon.tsx';
import { fieldLabel } from '../../fields/field-label.ts';
import { t } from '../../texts/texts.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { Segmented } from '../../ui/controls/segmented.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { type DateField, dateFields, type Span } from './calendar-data.ts';

export interface CalendarToolbarProps {
  board: Kanban;
  field: DateField;
  span: Span;
  title: string;
  onToday(): void;
  onStep(by: 1 | -1): void;
  onField(field: DateField): void;
  onSpan(span: Span): void;
}

export function CalendarToolbar(props: CalendarToolbarProps) {
  const { board, field, span, title, onToday, onStep, onField, onSpan } = props;
  const fields = dateFields(board);
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line bg-surface px-3 py-1.5 md:px-4">
      <Button onClick={onToday}>{t('calendar.today')}</Button>
      <div className="flex">
        <IconButton label={t('calendar.previous')} shortcut="pageup" onClick={() => onStep(-1)}>
          <ChevronLeft className="size-4" />
        </IconButton>
        <IconButton label={t('calendar.next')} shortcut="pagedown" onClick={() => onStep(1)}>
          <ChevronRight className="size-4" />
        </IconButton>
      </div>
      <h2
        aria-live="polite"
        className="tabular min-w-0 flex-1 truncate text-md font-semibold first-letter:uppercase"
      >
        {title}
      </h2>
      <div className="flex min-w-0 items-center gap-2 max-md:w-full max-md:justify-between">
        <Select
          label={t('calendar.field')}
          value={field.id}
          onChange={(id) => onField(fields.find((one) => one.id === id)!)}
          options={fields.map((one) => ({
            value: one.id,
            label: fieldLabel(one),
            mark: <FieldIcon type={one.type} className="size-3.5 text-faint" />,
          }))}
          className="w-auto! max-w-48"
        />
        <Segmented
          label={t('calendar.span')}
          value={span}
          onChange={onSpan}
          segments={[
            { value: 'month', label: t('calendar.span.month') },
            { value: 'week', label: t('calendar.span.week') },
          ]}
        />
      </div>
    </div>
  );
}
