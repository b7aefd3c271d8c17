/** A dialog that creates or changes one entity and shows the service's errors. */
import { Trash2 } from 'lucide-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { describeError } from '../../data/errors.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';

export interface FormDialogProps {
  title: string;
  description?: ReactNode;
  action: string;
  ready: boolean;
  /** Closes unless it throws. */
  onSubmit(): Promise<unknown>;
  onClose(): void;
  /** Keeps the dialog open after sending, for what is shown once. */
  stay?: boolean;
  /** At the left of the buttons. */
  aside?: ReactNode;
  /** Puts a button to delete what is edited in the place of `aside`. */
  onDelete?: (() => void) | undefined;
  wide?: boolean;
  children: ReactNode;
}

export function FormDialog(props: FormDialogProps) {
  const { title, description, action, ready, onSubmit, onClose, stay, aside, onDelete, wide, children } =
    props;
  const [error, setError] = useState('');
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!ready || busy) return;
    setBusy(true);
    setError('');
    try {
      await onSubmit();
      if (!stay) onClose();
    } catch (failure) {
      setError(describeError(failure).text);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog open onOpenChange={onClose} title={title} description={description} wide={wide}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        {children}
        {error && (
          <p role="alert" className="text-danger">
            {error}
          </p>
        )}
        {/* Stays in sight while a long form scrolls below it. */}
        <div className="sticky -bottom-3 -mx-5 -mb-3 flex items-center justify-between gap-2 rounded-b-panel border-t border-line bg-raised px-5 py-3">
          <span>
            {onDelete ? (
              <Button
                tone="quiet"
                className="text-danger!"
                icon={<Trash2 className="size-3.5" />}
                onClick={onDelete}
              >
                {t('ui.delete')}
              </Button>
            ) : (
              aside
            )}
          </span>
          <span className="flex gap-2">
            <Button onClick={onClose}>{t('ui.cancel')}</Button>
            <Button type="submit" tone="primary" busy={busy} disabled={!ready}>
              {action}
            </Button>
          </span>
        </div>
      </form>
    </Dialog>
  );
}
