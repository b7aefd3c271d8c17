/** Editors for one line and for long texts. */
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { KanbanField } from '../../../contract/crm/kanbans.ts';
import { decimalSign, typedNumber } from '../texts/format.ts';
import { t } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';
import { controlClass, TextArea } from '../ui/controls/input.tsx';
import { bareClass, type FieldEditorProps } from './field-editor-props.ts';
import { fieldLabel } from './field-label.ts';
import { isEmptyValue, valueText } from './field-value.tsx';
import { readNumber } from './read-number.ts';

export const inputTypes: { [type in KanbanField['type']]?: string } = {
  date: 'date',
  datetime: 'datetime-local',
  email: 'email',
  phone: 'tel',
  url: 'url',
};

export function TextEditor({ field, value, onCommit, framed, id, label }: FieldEditorProps) {
  const { type } = field;
  const isNumber = type === 'number' || type === 'currency';
  const [text, setText] = useState(() => editText(type, value));
  const [isEditing, setIsEditing] = useState(false);
  const [isWrong, setIsWrong] = useState(false);
  const left = useRef(false);
  // Changes by others are not shown while the field is being edited.
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
      value={isEditing || (framed && !isDate) ? text : valueText(field, value)}
      onFocus={(event) => {
        left.current = false;
        // Synchronously: changing the text later would lose the selection.
        flushSync(() => setIsEditing(true));
        if (isNumber) event.currentTarget.select();
      }}
      onChange={(event) => setText(event.target.value)}
      onBlur={leave}
      onKeyDown={onKeyDown}
      className={cx(
        framed ? controlClass : bareClass,
        'h-8',
        isNumber && 'tabular',
        isWrong && 'border-danger!',
      )}
    />
  );
}

/** How a value is typed. */
export function editText(type: KanbanField['type'], value: unknown): string {
  if (isEmptyValue(value)) return '';
  if (type === 'number' || type === 'currency') return typedNumber(Number(value));
  if (type !== 'datetime') return String(value);
  const at = new Date(Number(value));
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** undefined: cannot be read. */
export function readText(type: KanbanField['type'], text: string): unknown {
  if (text.trim() === '') return null;
  if (type === 'number' || type === 'currency') return readNumber(text, decimalSign());
  if (type === 'datetime') return new Date(text).getTime();
  return type === 'text' ? text : text.trim();
}

export function LongTextEditor({ field, value, onCommit, framed, id, label }: FieldEditorProps) {
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
