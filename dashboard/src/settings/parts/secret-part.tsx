import { RotateCw } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { CopyField } from '../../ui/controls/copy-field.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { SecretDialog } from './secret-dialog.tsx';

/** The signing secret cannot be read, only replaced; the old one stays valid for a day. */
export function SecretPart({ text, rotate }: { text: ReactNode; rotate(): Promise<string> }) {
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const run = async () => {
    setBusy(true);
    try {
      setSecret(await rotate());
      setAsking(false);
    } catch (error) {
      toast.failed(t('settings.rotateFailed'), error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <section className="flex items-center justify-between gap-4 border-t border-line pt-6">
      <div>
        <h3 className="font-medium">{t('settings.secret')}</h3>
        <p className="text-pretty text-muted">{text}</p>
      </div>
      <Button icon={<RotateCw className="size-3.5" />} onClick={() => setAsking(true)}>
        {t('settings.rotate')}
      </Button>
      <Dialog
        open={asking}
        onOpenChange={setAsking}
        title={t('settings.rotateTitle')}
        footer={
          <>
            <Button onClick={() => setAsking(false)}>{t('ui.cancel')}</Button>
            <Button tone="primary" busy={busy} onClick={() => void run()}>
              {t('settings.rotate')}
            </Button>
          </>
        }
      >
        <p className="text-pretty">{t('settings.rotateText')}</p>
      </Dialog>
      {secret && (
        <SecretDialog
          title={t('settings.newSecret')}
          text={t('settings.newSecretText')}
          secret={secret}
          label={t('webhooks.copySecret')}
          onClose={() => setSecret(null)}
        />
      )}
    </section>
  );
}

export const IdField = ({ id, label = t('settings.id') }: { id: string; label?: string }) => (
  <div className="flex flex-col gap-1">
    <span className="font-medium">{label}</span>
    <CopyField value={id} label={t('ui.copy')} />
  </div>
);
