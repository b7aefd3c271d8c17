/** A color, chosen or typed as `#rrggbb`. It is saved when the field is left. */
import { useEffect, useState } from 'react';
import { Field, Input } from './input.tsx';

export interface ColorFieldProps {
  label: string;
  hint?: string;
  /** Shown while what is typed is no color. */
  wrong: string;
  error?: string;
  saved: boolean;
  value: string;
  onSave(color: string): void;
}

const colorForm = /^#[0-9a-fA-F]{6}$/;

export function ColorField({ label, hint, wrong, error, saved, value, onSave }: ColorFieldProps) {
  const [color, setColor] = useState(value);
  useEffect(() => setColor(value), [value]);
  const isColor = colorForm.test(color);
  const save = () => {
    if (isColor && color.toLowerCase() !== value) onSave(color);
  };
  return (
    <Field label={label} hint={hint} saved={saved} error={isColor ? error : wrong}>
      {(ids) => (
        <div className="flex gap-2">
          <input
            type="color"
            aria-label={label}
            value={isColor ? color : '#000000'}
            onChange={(event) => setColor(event.target.value)}
            onBlur={save}
            className="h-8 w-10 shrink-0 cursor-pointer rounded-control border border-line-strong bg-surface p-0.5"
          />
          <Input
            {...ids}
            value={color}
            maxLength={7}
            className="font-mono"
            onChange={(event) => setColor(event.target.value)}
            onBlur={save}
          />
        </div>
      )}
    </Field>
  );
}
