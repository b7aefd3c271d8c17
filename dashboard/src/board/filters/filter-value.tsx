/** The value of a condition, edited by the type of its field and the shape of its operator. */
import { useState } from 'react';
import { type FilterUnit, filterUnits } from '../../../../contract/crm/filters.ts';
import { readNumber } from '../../fields/read-number.ts';
import { decimalSign, typedNumber } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { Input } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { ChoiceEditor } from './filter-choice.tsx';
import { comparisonFor, shapeOf, type ValueProps } from './filter-model.ts';
import { nameOfUnit } from './filter-words.ts';

export function FilterValueEditor(props: ValueProps) {
  const { board, condition } = props;
  const shape = shapeOf(condition.op);
  if (shape === 'amount') return <AmountEditor {...props} />;
  switch (comparisonFor(board, condition.field)) {
    case 'option':
    case 'options':
    case 'boolean':
      return <ChoiceEditor {...props} />;
    case 'date':
    case 'time':
      return <DayEditor {...props} />;
    case 'number':
      return shape === 'two' ? <NumberRange {...props} /> : <TextEditor {...props} isNumber />;
    default:
      return <TextEditor {...props} />;
  }
}

/** Several values are separated by semicolons: a comma may be part of a number. */
function TextEditor({ condition, onChange, isNumber }: ValueProps & { isNumber?: boolean }) {
  const isList = shapeOf(condition.op) === 'list';
  const show = (value: unknown) => (typeof value === 'number' ? typedNumber(value) : String(value ?? ''));
  const [text, setText] = useState(() => [condition.value].flat().map(show).join('; '));
  const read = (part: string) => (isNumber ? readNumber(part, decimalSign()) : part.trim());
  const type = (typed: string) => {
    setText(typed);
    const values = (isList ? typed.split(';').filter((part) => part.trim()) : [typed]).map(read);
    const isWrong = values.some((value) => value === undefined);
    const value = isList ? (values as string[]) : values[0];
    onChange({ ...condition, value: isWrong ? undefined : value });
  };
  const isWrong = isNumber && text.trim() !== '' && condition.value === undefined;
  return (
    <Input
      aria-label={t('board.filter.value')}
      aria-invalid={isWrong || undefined}
      title={isWrong ? t('fields.notNumber') : undefined}
      inputMode={isNumber && !isList ? 'decimal' : undefined}
      placeholder={isList ? t('board.filter.several') : undefined}
      value={text}
      onChange={(event) => type(event.target.value)}
    />
  );
}

function NumberRange({ condition, onChange }: ValueProps) {
  const given = Array.isArray(condition.value) ? condition.value : [];
  const [texts, setTexts] = useState(() =>
    [0, 1].map((i) => (given[i] === undefined ? '' : typedNumber(Number(given[i])))),
  );
  const type = (index: number, typed: string) => {
    const next = texts.with(index, typed);
    setTexts(next);
    const values = next.map((text) => readNumber(text, decimalSign()));
    onChange({
      ...condition,
      value: values.some((one) => one === undefined) ? undefined : (values as number[]),
    });
  };
  return (
    <div className="grid grid-cols-2 gap-1.5">
      {[t('board.filter.from'), t('board.filter.to')].map((label, index) => (
        <Input
          key={label}
          aria-label={label}
          placeholder={label}
          inputMode="decimal"
          value={texts[index]}
          onChange={(event) => type(index, event.target.value)}
        />
      ))}
    </div>
  );
}

/** Times are chosen by day here; the API accepts exact ones. */
function DayEditor({ condition, onChange }: ValueProps) {
  const isRange = shapeOf(condition.op) === 'two';
  const days = [condition.value].flat().map(dayOf);
  const change = (index: number, day: string) => {
    const next = [days[0] ?? '', days[1] ?? ''].with(index, day);
    onChange({ ...condition, value: isRange ? next : day });
  };
  const labels = isRange ? [t('board.filter.from'), t('board.filter.to')] : [t('board.filter.value')];
  return (
    <div className={cx('grid gap-1.5', isRange && 'grid-cols-2')}>
      {labels.map((label, index) => (
        <Input
          key={label}
          type="date"
          aria-label={label}
          value={days[index] ?? ''}
          onChange={(event) => change(index, event.target.value)}
        />
      ))}
    </div>
  );
}

/** The reader's day of a time. */
function dayOf(value: unknown): string {
  if (typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value)) return value;
  const time = typeof value === 'number' ? value : Date.parse(String(value));
  if (Number.isNaN(time)) return '';
  const date = new Date(time);
  return new Date(time - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
}

function AmountEditor({ board, condition, onChange }: ValueProps) {
  const isDate = comparisonFor(board, condition.field) === 'date';
  const units = filterUnits.filter((unit) => !isDate || (unit !== 'minutes' && unit !== 'hours'));
  const unit: FilterUnit = condition.unit ?? 'days';
  const amount = condition.value === undefined ? '' : String(condition.value);
  return (
    <div className="grid grid-cols-[4.5rem_minmax(0,1fr)] gap-1.5">
      <Input
        type="number"
        min={1}
        aria-label={t('board.filter.value')}
        value={amount}
        onChange={({ target }) =>
          onChange({ ...condition, unit, value: target.value === '' ? undefined : Number(target.value) })
        }
      />
      <Select
        label={t('board.filter.unit')}
        value={unit}
        onChange={(next) => onChange({ ...condition, unit: next })}
        options={units.map((one) => ({ value: one, label: nameOfUnit(one, Number(amount) || 2) }))}
      />
    </div>
  );
}
