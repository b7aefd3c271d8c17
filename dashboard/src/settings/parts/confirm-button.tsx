import { type ReactNode, useState } from 'react';
import { t } from '../../texts/texts.ts';
import { Button, type ButtonProps } from '../../ui/controls/button.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.tsx';

interface ConfirmButtonProps extends Pick<ButtonProps, 'tone' | 'icon' | 'disabled' | 'className'> {
  /** On both buttons. */
  action: string;
  title: string;
  /** What follows from it. */
  text: ReactNode;
  failed: string;
  onConfirm(): Promise<unknown>;
}

/** A button whose action is confirmed in a dialog first. */
export function ConfirmButton({ action, title, text, failed, onConfirm, ...look }: ConfirmButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const confirm = async () => {
    setBusy(true);
    try {
      await onConfirm();
    } catch (error) {
      toast.failed(failed, error);
    } finally {
      setBusy(false);
      setOpen(false);
    }
  };
  return (
    <>
      <Button {...look} onClick={() => setOpen(true)}>
        {action}
      </Button>
      <Dialog
        open={isOpen}
        onOpenChange={setOpen}
        title={title}
        footer={
          <>
            <Button onClick={() => setOpen(false)}>{t('ui.cancel')}</Button>
            <Button tone="danger" busy={busy} onClick={() => void confirm()}>
              {action}
            </Button>
          </>
        }
      >
        <p className="text-pretty">{text}</p>
      </Dialog>
    </>
  );
}
