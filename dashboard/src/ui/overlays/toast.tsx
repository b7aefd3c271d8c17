/**
 * Messages in the lower left corner, beside the rail and above a bar at the lower edge: no header, title or primary
 * action of a view is there. What was done has Undo, what failed has Retry. Ours because the policy forbids inline styles.
 */
import { AlertTriangle, CheckCircle2, Info, X } from 'lucide-react';
import { type ReactNode, useEffect, useSyncExternalStore } from 'react';
import { describeError } from '../../data/errors.ts';
import { t } from '../../texts/texts.ts';

interface ToastAction {
  label: string;
  run(): void;
}
export interface Toast {
  id: number;
  tone: 'plain' | 'success' | 'danger';
  text: ReactNode;
  detail?: ReactNode;
  action?: ToastAction;
  durationMs: number;
}

let toasts: readonly Toast[] = [];
let counter = 0;
const listeners = new Set<() => void>();
const set = (next: readonly Toast[]) => {
  toasts = next;
  for (const listener of listeners) listener();
};

function show(parts: Omit<Toast, 'id' | 'durationMs'> & { durationMs?: number }): number {
  const id = ++counter;
  const durationMs = parts.durationMs ?? (parts.action ? 8_000 : 4_000);
  set([...toasts.slice(-2), { ...parts, id, durationMs }]);
  return id;
}

export const toast = {
  show: (text: ReactNode) => show({ tone: 'plain', text }),
  done: (text: ReactNode) => show({ tone: 'success', text }),
  /** For actions that can be undone. */
  undo: (text: ReactNode, undo: () => void) =>
    show({ tone: 'success', text, action: { label: t('ui.undo'), run: undo } }),
  problem: (text: ReactNode, detail: ReactNode) => show({ tone: 'danger', text, detail, durationMs: 10_000 }),
  /** Says what failed and why; `retry` does it again. */
  failed: (text: ReactNode, error: unknown, retry?: () => void) =>
    show({
      tone: 'danger',
      text,
      detail: describeError(error).text,
      durationMs: 10_000,
      ...(retry && { action: { label: t('ui.retry'), run: retry } }),
    }),
  /** What has happened elsewhere, with the way there. */
  tell: (text: ReactNode, detail: ReactNode, action: ToastAction) =>
    show({ tone: 'plain', text, detail, action, durationMs: 6_000 }),
  close: (id: number) => set(toasts.filter((one) => one.id !== id)),
  closeAll: () => set([]),
};

const icons = {
  plain: <Info className="size-4 text-muted" />,
  success: <CheckCircle2 className="size-4 text-success" />,
  danger: <AlertTriangle className="size-4 text-danger" />,
};

export function Toaster() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <section
      aria-label={t('ui.messages')}
      aria-live="polite"
      className="pointer-events-none fixed right-3 bottom-[calc(12px+var(--bottom-bar,0px))] left-3 z-70 flex flex-col items-start gap-2 max-md:items-stretch md:left-[calc(var(--rail-width)+var(--side-menu,0px)+12px)] md:max-w-[296px]"
    >
      {shown.map((one) => (
        <ToastCard key={one.id} toast={one} />
      ))}
    </section>
  );
}

function ToastCard({ toast: { id, tone, text, detail, action, durationMs } }: { toast: Toast }) {
  useEffect(() => {
    const timer = setTimeout(() => toast.close(id), durationMs);
    return () => clearTimeout(timer);
  }, [id, durationMs]);
  return (
    <div className="rise-in pointer-events-auto flex items-start gap-2.5 rounded-panel bg-raised py-2 pr-2 pl-3 shadow-float">
      <span className="mt-0.5">{icons[tone]}</span>
      <div className="min-w-0 flex-1 py-px">
        <p className="font-medium text-pretty">{text}</p>
        {detail && <p className="line-clamp-2 text-sm text-muted">{detail}</p>}
      </div>
      {action && (
        <button
          type="button"
          className="h-6 shrink-0 rounded-control px-2 font-medium text-accent-ink hover:bg-hover"
          onClick={() => {
            toast.close(id);
            action.run();
          }}
        >
          {action.label}
        </button>
      )}
      <button
        type="button"
        aria-label={t('ui.close')}
        className="flex size-6 shrink-0 items-center justify-center rounded-control text-faint hover:bg-hover hover:text-ink"
        onClick={() => toast.close(id)}
      >
        <X className="size-3.5" />
      </button>
    </div>
  );
}
