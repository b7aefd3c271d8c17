import { Check } from 'lucide-react';
import { type ReactNode, useLayoutEffect, useRef } from 'react';
import type { ImportJob } from '../../../contract/crm/imports.ts';
import type { Kanban } from '../../../contract/crm/kanbans.ts';
import { t } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';

export const quietLink =
  'inline-flex h-7 items-center gap-1.5 rounded-control border border-line-strong px-2.5 font-medium whitespace-nowrap hover:bg-hover';

/** The props of every step with a file. */
export interface StepProps {
  board: Kanban;
  current: ImportJob;
}

/** Shows the current step. The steps are not links, because the state of the import decides which one is open. */
export function ImportSteps({ at, done = false }: { at: number; done?: boolean }) {
  const names = [
    t('import.step.file'),
    t('import.step.columns'),
    t('import.step.check'),
    t('import.step.import'),
  ];
  return (
    <ol
      aria-label={t('import.steps')}
      className="flex shrink-0 items-center gap-2 border-b border-line px-4 py-2 text-sm md:gap-3 md:px-10"
    >
      {names.map((name, index) => {
        const isPast = index < at || done;
        const isHere = index === at && !done;
        return (
          <li
            key={name}
            aria-current={index === at ? 'step' : undefined}
            className={cx(
              'flex items-center gap-1.5',
              index > 0 &&
                'before:mr-0.5 before:h-px before:w-3 before:bg-line-strong md:before:mr-1.5 md:before:w-6',
              isHere ? 'font-medium text-ink' : 'text-muted',
            )}
          >
            <span
              aria-hidden
              className={cx(
                'flex size-4.5 shrink-0 items-center justify-center rounded-full text-[10px] font-semibold',
                isHere
                  ? 'bg-accent text-on-accent'
                  : isPast
                    ? 'bg-success-soft text-success'
                    : 'bg-sunken text-muted',
              )}
            >
              {isPast ? <Check className="size-3" strokeWidth={3} /> : index + 1}
            </span>
            <span className={index === at ? '' : 'max-sm:sr-only'}>{name}</span>
            {isPast && <span className="sr-only">{t('import.step.done')}</span>}
          </li>
        );
      })}
    </ol>
  );
}

export interface StepFrameProps {
  title: string;
  text?: ReactNode;
  children: ReactNode;
  /** Actions that continue are at the right. */
  footer?: ReactNode;
  /** The content fills the page and scrolls separately. */
  fills?: boolean;
}

/** One step. Its title gets the focus, so that screen readers start where the page changed. */
export function StepFrame({ title, text, children, footer, fills }: StepFrameProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  // Before the first paint: later it could take the focus from the user.
  useLayoutEffect(() => heading.current?.focus({ preventScroll: true }), []);
  const head = (
    <div>
      <h2 ref={heading} tabIndex={-1} data-quiet-focus="" className="text-lg font-semibold outline-none">
        {title}
      </h2>
      {text && <p className="mt-0.5 max-w-[72ch] text-pretty text-muted">{text}</p>}
    </div>
  );
  return (
    <>
      <div
        className={cx(
          'flex min-h-0 flex-1 flex-col gap-5 px-4 pt-6 md:px-10',
          fills ? 'overflow-hidden max-sm:overflow-y-auto' : 'overflow-y-auto pb-10',
        )}
      >
        {fills ? (
          <>
            {head}
            {children}
          </>
        ) : (
          <div className="flex max-w-[880px] flex-col gap-6">
            {head}
            {children}
          </div>
        )}
      </div>
      {footer && (
        <footer className="flex shrink-0 flex-wrap items-center justify-end gap-2 border-t border-line bg-surface px-4 py-2.5 md:px-10">
          {footer}
        </footer>
      )}
    </>
  );
}
