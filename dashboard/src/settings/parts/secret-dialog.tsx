import { TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { CopyField } from '../../ui/controls/copy-field.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';

/** A token or secret that is shown only once. */
export function SecretDialog({
  title,
  text,
  secret,
  label,
  onClose,
}: {
  title: string;
  text: ReactNode;
  secret: string;
  label: string;
  onClose(): void;
}) {
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={title}
      description={text}
      footer={
        <Button tone="primary" onClick={onClose}>
          {t('settings.secretKept')}
        </Button>
      }
    >
      <div className="flex flex-col gap-3">
        <CopyField value={secret} label={label} />
        <p className="flex items-start gap-2 rounded-control bg-warning-soft px-3 py-2 text-warning">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          {t('settings.secretOnce')}
        </p>
      </div>
    </Dialog>
  );
}
