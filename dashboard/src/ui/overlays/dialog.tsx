/** A modal dialog. For actions that can be undone, use a toast with Undo instead. */
import { X } from 'lucide-react';
import { Dialog as Primitive } from 'radix-ui';
import { type ReactNode, useState } from 'react';
import { t } from '../../texts/texts.ts';
import { cx } from '../class-names.ts';
import { Button, IconButton } from '../controls/button.tsx';
import { Field, Input } from '../controls/input.tsx';

export interface DialogProps {
  open: boolean;
  onOpenChange(open: boolean): void;
  title: ReactNode;
  description?: ReactNode;
  children: ReactNode;
  footer?: ReactNode;
  wide?: boolean;
  /** As high as the window allows; the content shrinks before it scrolls. */
  tall?: boolean;
  /** Nothing in it can have the focus, so that the content itself is scrolled by keyboard. */
  isText?: boolean;
  /** Shows something once: a click beside it or Escape does not close it. */
  once?: boolean;
}

export function Dialog(props: DialogProps) {
  const { open, onOpenChange, title, description, children, footer, wide, tall, isText, once } = props;
  const stay = (event: Event) => once && event.preventDefault();
  return (
    <Primitive.Root open={open} onOpenChange={onOpenChange}>
      <Primitive.Portal>
        <Primitive.Overlay className="fade-in fixed inset-0 z-40 bg-scrim" />
        <Primitive.Content
          aria-describedby={description ? undefined : ''}
          data-quiet-focus=""
          onInteractOutside={stay}
          onEscapeKeyDown={stay}
          // Without a field to type in, nothing has to look chosen.
          onOpenAutoFocus={(event) => {
            event.preventDefault();
            (event.currentTarget as HTMLElement).focus();
          }}
          className={cx(
            'rise-in fixed inset-x-0 z-40 mx-auto flex w-[calc(100vw-32px)] flex-col rounded-panel bg-raised shadow-float outline-none',
            // Of the part that a phone shows: its bars cover the rest.
            tall
              ? 'top-[4dvh] max-h-[92dvh]'
              : 'top-[12dvh] max-h-[80dvh] max-sm:top-[4dvh] max-sm:max-h-[92dvh]',
            wide ? 'max-w-3xl' : 'max-w-md',
          )}
        >
          <header className="flex items-start justify-between gap-4 px-5 pt-4 pb-1">
            <div>
              <Primitive.Title className="text-md font-semibold">{title}</Primitive.Title>
              {description && (
                <Primitive.Description className="mt-1 text-muted">{description}</Primitive.Description>
              )}
            </div>
            <Primitive.Close asChild>
              <IconButton label={t('ui.close')} tip={false} className="-mr-2">
                <X className="size-4" />
              </IconButton>
            </Primitive.Close>
          </header>
          <div
            tabIndex={isText ? 0 : undefined}
            className={cx(
              'min-h-0 flex-1 overflow-y-auto px-5 py-3 focus-visible:-outline-offset-2',
              tall && 'flex flex-col',
            )}
          >
            {children}
          </div>
          {footer && (
            <footer className="flex justify-end gap-2 border-t border-line px-5 py-3">{footer}</footer>
          )}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}

export interface ConfirmByNameProps {
  open: boolean;
  onOpenChange(open: boolean): void;
  title: string;
  /** What will be lost. */
  consequence: ReactNode;
  /** To be typed. */
  name: string;
  action: string;
  onConfirm(): Promise<unknown> | unknown;
  /** What else is decided here, above the name. */
  children?: ReactNode;
  /** Not to be confirmed yet. */
  disabled?: boolean;
}

export function ConfirmByName({
  open,
  onOpenChange,
  title,
  consequence,
  name,
  action,
  onConfirm,
  children,
  disabled = false,
}: ConfirmByNameProps) {
  const [typed, setTyped] = useState('');
  const [busy, setBusy] = useState(false);
  const confirm = async () => {
    setBusy(true);
    try {
      await onConfirm();
      onOpenChange(false);
      setTyped('');
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={title}
      description={consequence}
      footer={
        <>
          <Button onClick={() => onOpenChange(false)}>{t('ui.cancel')}</Button>
          <Button
            tone="danger"
            disabled={disabled || typed.trim() !== name.trim()}
            busy={busy}
            onClick={confirm}
          >
            {action}
          </Button>
        </>
      }
    >
      {children}
      <Field label={t('ui.typeName', { name })}>
        {(ids) => <Input {...ids} value={typed} onChange={(event) => setTyped(event.target.value)} />}
      </Field>
    </Dialog>
  );
}
