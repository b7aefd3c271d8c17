/** The frame of the pages before signing in. */
import { type FormEvent, type ReactNode, useEffect } from 'react';
import { t } from '../texts/texts.ts';

export function PublicPage({
  title,
  text,
  onSubmit,
  children,
}: {
  title: string;
  text?: ReactNode;
  onSubmit?(): void;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = title;
  }, [title]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit?.();
  };
  return (
    <main className="flex h-full items-start justify-center overflow-y-auto bg-canvas px-4 pt-[16vh] pb-8">
      <form onSubmit={submit} className="w-full max-w-80">
        <img src="/app/favicon.svg" alt="" className="mb-5 size-9" />
        <h1 className="mb-6 text-xl font-semibold tracking-tight text-balance break-words">{title}</h1>
        {text && <p className="-mt-3 mb-6 text-pretty break-words text-muted">{text}</p>}
        <div className="flex flex-col gap-4">{children}</div>
      </form>
    </main>
  );
}

export function Problem({ text }: { text: string }) {
  if (text === '') return null;
  return (
    <p role="alert" className="rounded-control bg-danger-soft px-3 py-2 text-danger">
      {text}
    </p>
  );
}

/** Between the button of the provider and the fields. */
export const OrPassword = () => (
  <p className="flex items-center gap-3 text-sm text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
    {t('login.or')}
  </p>
);

/** A link that looks like a button: it leaves the dashboard. */
export const ProviderLink = ({ href, children }: { href: string; children: ReactNode }) => (
  <a
    href={href}
    className="inline-flex h-9 items-center justify-center rounded-control border border-line-strong bg-surface px-3.5 text-md font-medium text-ink transition-colors hover:bg-hover active:bg-pressed"
  >
    <span className="truncate">{children}</span>
  </a>
);
