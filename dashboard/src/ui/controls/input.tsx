import { Search, X } from 'lucide-react';
import { type ComponentProps, type ReactNode, useEffect, useId, useRef } from 'react';
import { t } from '../../texts/texts.ts';
import { cx } from '../class-names.ts';

export const controlClass =
  'w-full rounded-control border border-line-strong bg-surface px-2.5 text-ink transition-colors hover:border-faint/60 focus:border-accent focus:outline-none focus-visible:outline-2 focus-visible:-outline-offset-1 focus-visible:outline-accent disabled:opacity-60 aria-invalid:border-danger';

export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return <input autoComplete="off" {...rest} className={cx(controlClass, 'h-8', className)} />;
}

/** Grows with its text up to `maxRows`. */
export function TextArea({
  className,
  maxRows = 12,
  ...rest
}: ComponentProps<'textarea'> & { maxRows?: number }) {
  const own = useRef<HTMLTextAreaElement | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured again whenever the text changes
  useEffect(() => {
    const area = own.current;
    if (!area) return;
    area.style.height = 'auto';
    area.style.height = `${Math.min(area.scrollHeight + 2, maxRows * 20 + 14)}px`;
  }, [rest.value, maxRows]);
  return (
    <textarea
      rows={2}
      {...rest}
      ref={(area) => {
        own.current = area;
        if (typeof rest.ref === 'function') rest.ref(area);
        else if (rest.ref) rest.ref.current = area;
      }}
      className={cx(controlClass, 'resize-none py-1.5', className)}
    />
  );
}

export interface FieldProps {
  label: ReactNode;
  hint?: ReactNode;
  error?: ReactNode;
  /** A quiet "Saved" at the right of the label. */
  saved?: boolean;
  children: (ids: {
    id: string;
    'aria-describedby': string | undefined;
    'aria-invalid': true | undefined;
  }) => ReactNode;
}

/** A labelled control of a form with its hint or its error. */
export function Field({ label, hint, error, saved, children }: FieldProps) {
  const id = useId();
  const noteId = `${id}-note`;
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-baseline justify-between">
        <label htmlFor={id} className="font-medium text-ink">
          {label}
        </label>
        <span
          aria-live="polite"
          className={cx('text-sm text-success transition-opacity', saved ? 'opacity-100' : 'opacity-0')}
        >
          {saved ? t('ui.saved') : ''}
        </span>
      </div>
      {children({
        id,
        'aria-describedby': error || hint ? noteId : undefined,
        'aria-invalid': error ? true : undefined,
      })}
      {(error || hint) && (
        <p id={noteId} className={cx('text-sm', error ? 'text-danger' : 'text-muted')}>
          {error || hint}
        </p>
      )}
    </div>
  );
}

export interface SearchInputProps extends Omit<ComponentProps<'input'>, 'onChange'> {
  value: string;
  onChange(value: string): void;
  label: string;
}

export function SearchInput({ value, onChange, label, className, ...rest }: SearchInputProps) {
  return (
    <div className={cx('relative', className)}>
      <Search
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-2 size-3.5 -translate-y-1/2 text-faint"
      />
      <input
        placeholder={label}
        {...rest}
        type="text"
        inputMode="search"
        autoComplete="off"
        aria-label={label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className={cx(controlClass, 'h-7 pr-6 pl-7')}
      />
      {value !== '' && (
        <button
          type="button"
          aria-label={t('ui.clear')}
          onClick={() => onChange('')}
          className="absolute top-1/2 right-1 flex size-5 -translate-y-1/2 items-center justify-center rounded text-faint hover:text-ink"
        >
          <X className="size-3.5" />
        </button>
      )}
    </div>
  );
}
