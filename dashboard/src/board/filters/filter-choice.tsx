/** A value out of a list: options, statuses, people, yes or no. */
import type { FilterCondition } from '../../../../contract/crm/filters.ts';
import { useUsers } from '../../data/queries.ts';
import { LabelDot } from '../../labels/label-chips.tsx';
import { useLabels } from '../../labels/label-data.ts';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { controlClass } from '../../ui/controls/input.tsx';
import { Picker } from '../../ui/controls/picker.tsx';
import { type Option, Select } from '../../ui/controls/select.tsx';
import { comparisonFor, type Filterable, fieldOf, shapeOf, type ValueProps } from './filter-model.ts';

export function ChoiceEditor({ board, condition, onChange }: ValueProps) {
  const options = useChoices(board, condition);
  const chosen = condition.value === undefined ? [] : [condition.value].flat().map(String);
  const isBoolean = comparisonFor(board, condition.field) === 'boolean';
  if (shapeOf(condition.op) !== 'list') {
    return (
      <Select
        label={t('board.filter.value')}
        value={chosen[0]}
        placeholder={t('fields.choose')}
        onChange={(value) => onChange({ ...condition, value: isBoolean ? value === 'true' : value })}
        options={options}
      />
    );
  }
  const names = chosen.map((one) => options.find(({ value }) => value === one)?.label ?? one);
  return (
    <Picker
      several
      label={t('board.filter.value')}
      options={options}
      chosen={chosen}
      onChange={(value) => onChange({ ...condition, value })}
      trigger={
        <button type="button" className={cx(controlClass, 'flex h-8 items-center text-left')}>
          <span className="sr-only">{t('board.filter.value')}</span>
          <span className={cx('truncate', names.length === 0 && 'text-faint')}>
            {names.join(', ') || t('fields.choose')}
          </span>
        </button>
      }
    />
  );
}

/** A value that is no longer an option stays one here. */
function useChoices(board: Filterable, { field, value }: FilterCondition): Option[] {
  const users = useUsers();
  const labels = useLabels();
  const own = board.others?.[field]?.options;
  const known: readonly Option[] = own
    ? own
    : field === 'status'
      ? board.statuses.map((status) => ({ value: status.value, label: status.label }))
      : field === 'assignedUserIds'
        ? [
            { value: 'me', label: t('board.filter.myself') },
            ...users.map(({ id, name }) => ({ value: id, label: name })),
          ]
        : field === 'labelIds'
          ? labels.map(({ id, name, color }) => ({
              value: id,
              label: name,
              mark: <LabelDot color={color} />,
            }))
          : fieldOf(board, field)?.type === 'boolean'
            ? [
                { value: 'true', label: t('fields.yes') },
                { value: 'false', label: t('fields.no') },
              ]
            : (fieldOf(board, field)?.options ?? []).map((option) => ({ value: option, label: option }));
  const chosen = value === undefined ? [] : [value].flat().map(String);
  const unknown = chosen.filter((one) => !known.some((option) => option.value === one));
  return [...known, ...unknown.map((one) => ({ value: one, label: one }))];
}
