/** One condition of the form: a field, an operator and a value. */
import { X } from 'lucide-react';
import type { FilterCondition, FilterOperator } from '../../../../contract/crm/filters.ts';
import { FieldIcon } from '../../fields/field-icon.tsx';
import { t } from '../../texts/texts.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { type Filterable, operatorsFor, ownFields, shapeOf } from './filter-model.ts';
import { FilterValueEditor } from './filter-value.tsx';
import { nameOfField, nameOfOperator } from './filter-words.ts';

export function ConditionRow({
  board,
  condition,
  problem,
  onChange,
  onRemove,
}: {
  board: Filterable;
  condition: FilterCondition;
  problem?: string | null;
  onChange(condition: FilterCondition): void;
  onRemove(): void;
}) {
  const { field, op } = condition;
  const operators = operatorsFor(board, field);
  const chooseField = (next: string) => {
    const [first] = operatorsFor(board, next);
    onChange({ field: next, op: first ?? 'is' });
  };
  const chooseOperator = (next: FilterOperator) => {
    const isSameShape = shapeOf(next) === shapeOf(op);
    onChange(isSameShape ? { ...condition, op: next } : { field, op: next });
  };
  const hasValue = field !== '' && shapeOf(op) !== 'none';
  return (
    <fieldset
      aria-label={field ? nameOfField(board, field) : t('board.filter.new')}
      className="grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)_auto] items-start gap-1.5 sm:grid-cols-[minmax(0,9.5rem)_minmax(0,9rem)_minmax(0,1fr)_auto]"
    >
      <Select
        label={t('board.filter.field')}
        value={field || undefined}
        placeholder={t('board.filter.anyField')}
        onChange={chooseField}
        options={[
          ...ownFields(board).map((name) => ({ value: name, label: nameOfField(board, name) })),
          ...board.fields.map(({ id, type }) => ({
            value: id,
            label: nameOfField(board, id),
            mark: <FieldIcon type={type} className="size-3.5 text-faint" />,
          })),
        ]}
      />
      <Select
        label={t('board.filter.operator')}
        value={field ? op : undefined}
        disabled={!field}
        onChange={chooseOperator}
        options={operators.map((one) => ({ value: one, label: nameOfOperator(board, field, one) }))}
      />
      <div className="max-sm:order-last max-sm:col-span-3 max-sm:empty:hidden">
        {hasValue && (
          <FilterValueEditor
            key={`${field} ${shapeOf(op)}`}
            board={board}
            condition={condition}
            onChange={onChange}
          />
        )}
      </div>
      <IconButton label={t('board.filter.removeCondition')} className="mt-0.5" onClick={onRemove}>
        <X className="size-3.5" />
      </IconButton>
      {problem && (
        <p role="alert" className="order-last col-span-full text-sm text-danger">
          {problem}
        </p>
      )}
    </fieldset>
  );
}
