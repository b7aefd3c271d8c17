/** A text, number or date in a cell. Enter and Tab commit and move on, Escape cancels, blur commits. */
import { type FocusEvent, type KeyboardEvent, useRef, useState } from 'react';
import { limits } from '../../../../contract/limits.ts';
import { editText, inputTypes, readText } from '../../fields/text-editors.tsx';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import type { Step } from './grid-state.ts';
import type { TableColumn } from './table-look.ts';

export interface CellInputProps {
  column: TableColumn;
  value: unknown;
  label: string;
  text?: string | undefined;
  onCommit(value: unknown): void;
  onClose(step: Step | null): void;
}

const box =
  'absolute -inset-px z-10 bg-surface px-2 text-ink outline-2 -outline-offset-2 outline-accent dark:bg-raised';

export function CellInput({ column, value, label, text: typed, onCommit, onClose }: CellInputProps) {
  const type = column.field?.type ?? 'text';
  const isDate = type === 'date' || type === 'datetime';
  // As it was when the editor opened: what others change meanwhile is not changed back.
  const [stored] = useState(() => editText(type, value));
  // A date is chosen in parts; one typed sign is not a date.
  const [text, setText] = useState(isDate ? stored : (typed ?? stored));
  const [problem, setProblem] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const isDone = useRef(false);
  const leave = (step: Step | null, isCancelled = false) => {
    if (isDone.current) return;
    // A date without its year has no value, but is not empty.
    if (!isCancelled && input.current?.validity.badInput) {
      setProblem(input.current.validationMessage);
      return;
    }
    if (!isCancelled && text !== stored) {
      const next = column.id === 'title' ? text.trim() || undefined : readText(type, text);
      if (next === undefined || Number.isNaN(next)) {
        setProblem(column.id === 'title' ? t('table.titleNeeded') : t('fields.notNumber'));
        return;
      }
      onCommit(next);
    }
    isDone.current = true;
    onClose(step);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Escape') leave([0, 0], true);
    else if (event.key === 'Tab') leave([0, event.shiftKey ? -1 : 1]);
    // A new line of a long text needs Alt or Shift.
    else if (event.key === 'Enter' && !(type === 'textarea' && (event.altKey || event.shiftKey))) {
      leave([event.shiftKey ? -1 : 1, 0]);
    } else return;
    event.preventDefault();
  };
  const shared = {
    'aria-label': label,
    'aria-invalid': problem ? true : undefined,
    title: problem ?? undefined,
    autoFocus: true,
    autoComplete: 'off',
    value: text,
    onKeyDown,
    // Another window may have the focus: then the editor stays open.
    onBlur: (event: FocusEvent) => document.activeElement !== event.target && leave(null),
    'data-own-keys': '',
    'data-quiet-focus': '',
  } as const;
  const change = (next: string) => {
    setText(next);
    setProblem(null);
  };
  return (
    <>
      {type === 'textarea' ? (
        <textarea
          {...shared}
          rows={4}
          onFocus={(event) => event.target.setSelectionRange(text.length, text.length)}
          onChange={(event) => change(event.target.value)}
          className={cx(
            box,
            'bottom-auto h-28 min-w-64 resize-none py-1.5 shadow-float',
            problem && 'outline-danger',
          )}
        />
      ) : (
        <input
          {...shared}
          ref={input}
          type={isDate ? inputTypes[type] : 'text'}
          inputMode={type === 'number' || type === 'currency' ? 'decimal' : undefined}
          maxLength={column.id === 'title' ? limits.titleLength : limits.textValueLength}
          onFocus={(event) => typed === undefined && !isDate && event.target.select()}
          onChange={(event) => change(event.target.value)}
          className={cx(box, problem && 'outline-danger')}
        />
      )}
      {problem && (
        <span
          role="alert"
          className="absolute top-full left-0 z-20 mt-1 rounded-control bg-raised px-2 py-1 text-sm whitespace-nowrap text-danger shadow-float"
        >
          {problem}
        </span>
      )}
    </>
  );
}
