/** A table of a report, under its name. */
import type { ReactNode } from 'react';

export function ReportBox({ title, hint, children }: { title: string; hint: string; children: ReactNode }) {
  return (
    <section
      aria-label={title}
      className="flex min-w-0 flex-col gap-3 rounded-panel border border-line bg-surface px-4 py-3"
    >
      <div>
        <h2 className="font-semibold">{title}</h2>
        <p className="text-sm text-pretty text-muted">{hint}</p>
      </div>
      {children}
    </section>
  );
}
