import type { ReactNode } from 'react';

/** A part of a contact's page under its heading. */
export const ContactPart = ({
  title,
  action,
  children,
}: {
  title: string;
  action?: ReactNode;
  children: ReactNode;
}) => (
  <section aria-label={title} className="flex flex-col gap-2">
    <div className="flex min-h-7 items-center justify-between gap-2">
      <h2 className="font-medium">{title}</h2>
      {action}
    </div>
    {children}
  </section>
);

export const rowsClass = 'flex flex-col rounded-panel border border-line';
export const rowClass =
  'flex min-h-10 items-center gap-2.5 border-b border-line px-3 last:border-0 first:rounded-t-panel last:rounded-b-panel';
