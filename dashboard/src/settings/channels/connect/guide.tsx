import { ExternalLink } from 'lucide-react';
import { t } from '../../../texts/texts.ts';
import { type FieldValues, type Kind, linkOf, steps } from './connector-kinds.tsx';

/** What to do at the provider, and where the values are. */
export function Guide({ kind: one, values }: { kind: Kind; values: FieldValues }) {
  const { kind } = one;
  const link = linkOf(one, values);
  return (
    <section aria-label={t('connectors.guide')} className="rounded-panel border border-line bg-sunken p-4">
      <ol className="flex flex-col gap-2">
        {steps.map((step) => (
          <li key={step} className="flex gap-2.5">
            <span
              aria-hidden
              className="tabular flex size-5 shrink-0 items-center justify-center rounded-full border border-line-strong bg-surface text-xs font-semibold text-muted"
            >
              {step}
            </span>
            <span className="min-w-0 text-pretty">{t(`connectors.step.${kind}.${step}`)}</span>
          </li>
        ))}
      </ol>
      {link && (
        <a
          href={link.href}
          target="_blank"
          rel="noreferrer"
          className="mt-3 ml-7.5 inline-flex items-center gap-1 text-accent-ink hover:underline"
        >
          {link.label} <ExternalLink aria-hidden className="size-3.5" />
        </a>
      )}
    </section>
  );
}
