/** Asks before something is deleted that has no undo. If something refers to it, the dialog says what. */
import { type ReactNode, useState } from 'react';
import { ApiError, describeError } from '../../data/errors.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { UseList } from './use-list.tsx';

export function ConfirmDelete({
  title,
  disabled,
  onDelete,
  onClose,
  children,
}: {
  title: string;
  disabled?: boolean;
  /** Closes unless it throws. */
  onDelete(): Promise<unknown>;
  onClose(): void;
  children: ReactNode;
}) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const usedBy = failure instanceof ApiError ? failure.usedBy : undefined;
  const confirm = async () => {
    setBusy(true);
    setFailure(null);
    try {
      await onDelete();
      onClose();
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      footer={
        <>
          <Button onClick={onClose}>{t('ui.cancel')}</Button>
          {!usedBy && (
            <Button tone="danger" busy={busy} disabled={disabled} onClick={() => void confirm()}>
              {t('ui.delete')}
            </Button>
          )}
        </>
      }
    >
      {usedBy ? (
        <div role="alert" className="flex flex-col gap-2">
          <p className="text-pretty">{t('settings.inUse')}</p>
          <UseList label={t('settings.inUse')} uses={usedBy} />
        </div>
      ) : (
        children
      )}
      {failure !== null && !usedBy && (
        <p role="alert" className="mt-2 text-danger">
          {describeError(failure).text}
        </p>
      )}
    </Dialog>
  );
}
