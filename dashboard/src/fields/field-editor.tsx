/** Edits one value by its type. What was typed is committed by leaving or Enter, taken back by Escape. */
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { KanbanField } from '../../../contract/kanbans.ts';
import { decimalSign, typedNumber } from '../texts/format.ts';
import { t } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';
import { controlLook, TextArea } from '../ui/controls/input.tsx';
import { Picker } from '../ui/controls/picker.tsx';
import { Select } from '../ui/controls/select.tsx';
import { Dot } from '../ui/display/badge.tsx';
import { hueOfOption } from '../ui/hues.ts';
import { fieldLabel } from './field-label.ts';
import { FieldValue, isEmptyValue, valueText } from './field-value.tsx';
import { readNumber } from './read-number.ts';

export interface FieldEditorProps {
  field: Pick<KanbanField, 'name' | 'isSystem' | 'type' | 'options'>;
  value: unknown;
  /** null clears. */
  onCommit(value: unknown): void;
  /** With a frame, as in a form; otherwise it looks like text until it is touched. */
  framed?: boolean;
  id?: string;
  label?: string;
}

const bare =
  'w-full rounded-control border border-transparent bg-transparent px-2 text-ellipsis transition-colors hover:bg-hover focus:border-accent focus:bg-surface focus:outline-none';

export function FieldEditor(props: FieldEditorProps) {
  switch (props.field.type) {
    case 'select':
    case 'multiselect':
      return <OptionsEditor {...props} />;
    case 'boolean':
      return <BooleanEditor {...props} />;
    case 'textarea':
      return <LongTextEditor {...props} />;
    default:
      return <TextEditor {...props} />;
  }
}

const inputTypes: { [type in KanbanField['type']]?: string } = {
  date: 'date',
  datetime: 'datetime-local',
  email: 'email',
  phone: 'tel',
  url: 'url',
};

function TextEditor({ field, value, onCommit, framed, id, label }: FieldEditorProps) {
  const { type } = field;
  const isNumber = type === 'number' || type === 'currency';
  const [text, setText] = useState(() => editText(type, value));
  const [isEditing, setIsEditing] = useState(false);
  const [isWrong, setIsWrong] = useState(false);
  const left = useRef(false);
  // While it is being edited, what others do to it waits.
  useEffect(() => {
    if (!isEditing) setText(editText(type, value));
  }, [type, value, isEditing]);

  const leave = () => {
    setIsEditing(false);
    setIsWrong(false);
    if (left.current || text === editText(type, value)) return;
    const next = readText(type, text);
    if (next === undefined) {
      setIsWrong(true);
      setIsEditing(true);
      return;
    }
    onCommit(next);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Escape') {
      left.current = true;
      setText(editText(type, value));
    } else if (event.key !== 'Enter') return;
    event.preventDefault();
    event.stopPropagation();
    event.currentTarget.blur();
  };
  const isDate = type === 'date' || type === 'datetime';
  return (
    <input
      id={id}
      aria-label={label}
      aria-invalid={isWrong || undefined}
      title={isWrong ? t('fields.notNumber') : text}
      autoComplete="off"
      type={isDate && !isEditing ? 'text' : (inputTypes[type] ?? 'text')}
      inputMode={isNumber ? 'decimal' : undefined}
      placeholder={framed ? undefined : t('fields.empty')}
      value={isEditing || (framed && !isDate) ? text : valueText(type, value)}
      onFocus={(event) => {
        left.current = false;
        // At once: a value that changes its form later would lose what is being selected or typed.
        flushSync(() => setIsEditing(true));
        if (isNumber) event.currentTarget.select();
      }}
      onChange={(event) => setText(event.target.value)}
      onBlur={leave}
      onKeyDown={onKeyDown}
      className={cx(framed ? controlLook : bare, 'h-8', isNumber && 'tabular', isWrong && 'border-danger!')}
    />
  );
}

/** How a value is typed. */
function editText(type: KanbanField['type'], value: unknown): string {
  if (isEmptyValue(value)) return '';
  if (type === 'number' || type === 'currency') return typedNumber(Number(value));
  if (type !== 'datetime') return String(value);
  const at = new Date(Number(value));
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** undefined: cannot be read. */
function readText(type: KanbanField['type'], text: string): unknown {
  if (text.trim() === '') return null;
  if (type === 'number' || type === 'currency') return readNumber(text, decimalSign());
  if (type === 'datetime') return new Date(text).getTime();
  return type === 'text' ? text : text.trim();
}

function LongTextEditor({ field, value, onCommit, framed, id, label }: FieldEditorProps) {
  const stored = isEmptyValue(value) ? '' : String(value);
  const [text, setText] = useState(stored);
  const [isEditing, setIsEditing] = useState(false);
  const left = useRef(false);
  useEffect(() => {
    if (!isEditing) setText(stored);
  }, [stored, isEditing]);
  return (
    <TextArea
      id={id}
      aria-label={label}
      placeholder={framed ? fieldLabel(field) : t('fields.empty')}
      rows={1}
      value={text}
      onFocus={() => {
        left.current = false;
        setIsEditing(true);
      }}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => {
        setIsEditing(false);
        if (!left.current && text !== stored) onCommit(text === '' ? null : text);
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        left.current = true;
        setText(stored);
        event.preventDefault();
        event.stopPropagation();
        event.currentTarget.blur();
      }}
      className={
        framed
          ? ''
          : 'border-transparent! bg-transparent! px-2! hover:bg-hover! focus:border-accent! focus:bg-surface!'
      }
    />
  );
}

function OptionsEditor({ field, value, onCommit, framed, id, label }: FieldEditorProps) {
  const several = field.type === 'multiselect';
  const chosen = isEmptyValue(value) ? [] : several ? (value as string[]) : [String(value)];
  // A value whose option was taken away is still the value.
  const all = [...new Set([...(field.options ?? []), ...chosen])];
  return (
    <Picker
      label={label ?? fieldLabel(field)}
      several={several}
      chosen={chosen}
      onChange={(next) => onCommit(next.length === 0 ? null : several ? next : next[0])}
      options={all.map((option) => ({
        value: option,
        label: option,
        mark: <Dot color={`var(--hue-${hueOfOption(option, field.options)})`} />,
      }))}
      trigger={
        <button
          type="button"
          id={id}
          className={cx(framed ? controlLook : bare, 'flex min-h-8 items-center py-1 text-left')}
        >
          <span className="sr-only">{label ?? fieldLabel(field)}</span>
          {chosen.length > 0 ? (
            <FieldValue field={field} value={value} />
          ) : (
            <span className="text-faint">{framed ? t('fields.choose') : t('fields.empty')}</span>
          )}
        </button>
      }
    />
  );
}

function BooleanEditor({ value, onCommit, framed, id, label, field }: FieldEditorProps) {
  const none = 'none';
  return (
    <Select
      id={id}
      label={label ?? fieldLabel(field)}
      value={value === true ? 'yes' : value === false ? 'no' : none}
      onChange={(next) => onCommit(next === none ? null : next === 'yes')}
      options={[
        { value: none, label: t('fields.empty') },
        { value: 'yes', label: t('fields.yes') },
        { value: 'no', label: t('fields.no') },
      ]}
      className={
        framed
          ? ''
          : cx(
              'border-transparent! bg-transparent! px-2! hover:bg-hover! [&>svg]:opacity-0 hover:[&>svg]:opacity-100',
              typeof value !== 'boolean' && 'text-faint!',
            )
      }
    />
  );
}
