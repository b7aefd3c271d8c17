/** Irreversible actions: at the end of the page, confirmed by typing the name. */
import { type ReactNode, useState } from 'react';
import { RulesUsing } from '../../automations/rules-using.tsx';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { ConfirmByName } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.tsx';

export interface DangerProps {
  title: string;
  text: ReactNode;
  /** To be typed. */
  name: string;
  /** What will be lost. */
  consequence: ReactNode;
  action: string;
  failed: string;
  onConfirm(): Promise<unknown>;
  disabled?: boolean;
  /** Rules may refer to it: they are listed. */
  usesOf?: string;
}

export function Danger(props: DangerProps) {
  const { title, text, action, disabled } = props;
  const [open, setOpen] = useState(false);
  return (
    <section className="mt-4 flex items-center justify-between gap-4 rounded-panel border border-danger/30 p-4">
      <div>
        <h3 className="font-medium">{title}</h3>
        <p className="text-muted">{text}</p>
      </div>
      <Button tone="danger" disabled={disabled} onClick={() => setOpen(true)}>
        {action}
      </Button>
      <ConfirmDanger {...props} open={open} onOpenChange={setOpen} />
    </section>
  );
}

export function ConfirmDanger({
  title,
  name,
  consequence,
  action,
  failed,
  onConfirm,
  open,
  onOpenChange,
  disabled,
  usesOf,
  children,
}: Omit<DangerProps, 'text'> & {
  open: boolean;
  onOpenChange(open: boolean): void;
  children?: ReactNode;
}) {
  return (
    <ConfirmByName
      open={open}
      onOpenChange={onOpenChange}
      title={t('settings.confirmTitle', { title })}
      consequence={consequence}
      name={name}
      action={action}
      disabled={disabled}
      onConfirm={async () => {
        try {
          await onConfirm();
        } catch (error) {
          toast.failed(failed, error);
        }
      }}
    >
      {usesOf && <RulesUsing id={usesOf} />}
      {children}
    </ConfirmByName>
  );
}
