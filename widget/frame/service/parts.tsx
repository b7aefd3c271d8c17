/** Small parts of the forms. The frame may not submit forms (it is sandboxed), so Enter is handled here. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { emailPattern } from '../../../contract/widget/widget-protocol.ts';

const emailForm = new RegExp(emailPattern);
export const isEmail = (text: string) => text.length <= 254 && emailForm.test(text);

export interface TextInputProps {
  label: string;
  type?: 'text' | 'email';
  autoComplete?: string;
  value: string;
  required?: boolean;
  error?: string | null;
  onInput(value: string): void;
  onEnter(): void;
}

export function TextInput(props: TextInputProps) {
  const { label, type = 'text', autoComplete, value, required, error, onInput, onEnter } = props;
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        // Both have the same attributes here; the types of the two differ.
        type={type as 'email'}
        name={autoComplete}
        autoComplete={autoComplete}
        maxLength={254}
        value={value}
        required={required}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? `${id}-error` : undefined}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.isComposing) return;
          event.preventDefault();
          onEnter();
        }}
      />
      {error && (
        <p id={`${id}-error`} class="notice" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

/** A titled group of fields above, or instead of, the line to write in. */
export function Card({ title, children }: { title: string; children: ComponentChildren }) {
  const id = useId();
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}
