/** A dialog that sends something to the address or addresses in its first field. */
import { type ReactNode, useRef, useState } from 'react';
import { describeError } from '../../data/errors.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { TextField, type TextFieldProps } from '../../ui/controls/text-field.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.tsx';

interface SendToDialogProps {
  title: string;
  description: string;
  action: string;
  /** Where the addresses are written. */
  field: Omit<TextFieldProps, 'error' | 'onKeyDown'>;
  /** Whether there is something to send to. */
  ready: boolean;
  /** What is wrong with the addresses; empty: nothing. */
  check(): string;
  /** Returns what the toast says. */
  onSend(): Promise<string>;
  onClose(): void;
  /** Below the field. */
  children?: ReactNode;
}

export function SendToDialog(props: SendToDialogProps) {
  const { title, description, action, field, ready, check, onSend, onClose, children } = props;
  const [error, setError] = useState('');
  const [isSending, setSending] = useState(false);
  // A second Enter may come before the next render.
  const isBusy = useRef(false);
  const send = async () => {
    const problem = check();
    setError(problem);
    if (problem || !ready || isBusy.current) return;
    isBusy.current = true;
    setSending(true);
    try {
      toast.done(await onSend());
      onClose();
    } catch (failure) {
      setError(describeError(failure).text);
      setSending(false);
      isBusy.current = false;
    }
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={title}
      description={description}
      footer={
        <>
          <Button onClick={onClose}>{t('ui.cancel')}</Button>
          <Button tone="primary" busy={isSending} disabled={!ready} onClick={() => void send()}>
            {action}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <TextField
          {...field}
          error={error}
          onChange={(value) => {
            field.onChange(value);
            setError('');
          }}
          onKeyDown={(event) => event.key === 'Enter' && void send()}
        />
        {children}
      </div>
    </Dialog>
  );
}
