/** Controls that save automatically: a text on blur, a choice at once. Each shows "Saved" or the error. */
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { describeError } from '../../data/errors.ts';
import { t } from '../../texts/texts.ts';
import { Field } from '../../ui/controls/input.tsx';
import { type Option, Select } from '../../ui/controls/select.tsx';
import { Switch } from '../../ui/controls/switch.tsx';
import { TextField, type TextFieldProps } from '../../ui/controls/text-field.tsx';

type Save = () => Promise<unknown>;

/** `run` returns true when the change was saved. */
export function useSaving(): { saved: boolean; error: string; run(send: Save): Promise<boolean> } {
  const [saved, setSaved] = useState(false);
  const [error, setError] = useState('');
  useEffect(() => {
    if (!saved) return;
    const timer = setTimeout(() => setSaved(false), 2_000);
    return () => clearTimeout(timer);
  }, [saved]);
  const run = async (send: Save) => {
    setError('');
    try {
      await send();
      setSaved(true);
      return true;
    } catch (failure) {
      setSaved(false);
      setError(describeError(failure).text);
      return false;
    }
  };
  return { saved, error, run };
}

export interface SavedTextProps
  extends Omit<TextFieldProps, 'onChange' | 'onFocus' | 'onBlur' | 'onKeyDown' | 'error' | 'saved'> {
  onSave(value: string): Promise<unknown>;
  /** An empty text is reset instead of saved. */
  required?: boolean;
}

export function SavedText({ value, onSave, required, lines, ...rest }: SavedTextProps) {
  const [draft, setDraft] = useState(value);
  const { saved, error, run } = useSaving();
  const editing = useRef(false);
  // Shows changes by others, unless the user is typing here.
  useEffect(() => {
    if (!editing.current) setDraft(value);
  }, [value]);
  const leave = () => {
    editing.current = false;
    const next = lines ? draft : draft.trim();
    if (next === value) return setDraft(value);
    if (next === '' && required) return setDraft(value);
    void run(() => onSave(next));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key === 'Enter' && (!lines || event.ctrlKey || event.metaKey)) event.currentTarget.blur();
    if (event.key === 'Escape') {
      event.stopPropagation();
      setDraft(value);
    }
  };
  return (
    <TextField
      {...rest}
      lines={lines}
      error={error}
      saved={saved}
      value={draft}
      onChange={setDraft}
      onFocus={() => {
        editing.current = true;
      }}
      onBlur={leave}
      onKeyDown={onKeyDown}
    />
  );
}

export function SavedSelect<T extends string>({
  label,
  hint,
  value,
  options,
  onSave,
  disabled,
}: {
  label: ReactNode;
  hint?: ReactNode;
  value: T | undefined;
  options: readonly Option<T>[];
  onSave(value: T): Promise<unknown>;
  disabled?: boolean;
}) {
  const { saved, error, run } = useSaving();
  const [chosen, setChosen] = useState(value);
  useEffect(() => setChosen(value), [value]);
  const choose = async (next: T) => {
    setChosen(next);
    if (!(await run(() => onSave(next)))) setChosen(value);
  };
  return (
    <Field label={label} hint={hint} error={error} saved={saved}>
      {(ids) => (
        <Select<T>
          {...ids}
          value={chosen}
          options={options}
          disabled={disabled}
          onChange={(next) => void choose(next)}
        />
      )}
    </Field>
  );
}

export function SavedSwitch({
  label,
  hint,
  checked,
  onSave,
  disabled,
}: {
  label: ReactNode;
  hint?: ReactNode;
  checked: boolean;
  onSave(checked: boolean): Promise<unknown>;
  disabled?: boolean;
}) {
  const { saved, error, run } = useSaving();
  const [shown, setShown] = useState(checked);
  useEffect(() => setShown(checked), [checked]);
  const turn = async (next: boolean) => {
    setShown(next);
    if (!(await run(() => onSave(next)))) setShown(checked);
  };
  return (
    <div className="flex items-start justify-between gap-4">
      <Switch
        label={label}
        hint={error ? <span className="text-danger">{error}</span> : hint}
        checked={shown}
        disabled={disabled}
        onChange={(next) => void turn(next)}
      />
      <SavedMark saved={saved} />
    </div>
  );
}

export const SavedMark = ({ saved }: { saved: boolean }) => (
  <span aria-live="polite" className="text-sm text-success">
    {saved ? t('ui.saved') : ''}
  </span>
);
