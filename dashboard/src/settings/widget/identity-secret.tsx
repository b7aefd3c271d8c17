import { useState } from 'react';
import { api } from '../../data/api.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { CopyField } from '../../ui/controls/copy-field.tsx';
import { toast } from '../../ui/overlays/toast.tsx';

export function IdentitySecret({ channelId, onMade }: { channelId: string; onMade(): void }) {
  const [secret, setSecret] = useState<string | null>(null);
  const make = async () => {
    try {
      const path = `/channels/${channelId}/widget/rotate-secret`;
      const { identitySecret } = await api<{ identitySecret: string }>('POST', path);
      setSecret(identitySecret);
      onMade();
    } catch (error) {
      toast.failed(t('widget.failed'), error, () => void make());
    }
  };
  return (
    <section className="flex flex-col gap-2 border-t border-line pt-6">
      <div className="flex items-center justify-between gap-4">
        <div>
          <h3 className="font-medium">{t('widget.identity')}</h3>
          <p className="text-pretty text-muted">{t('widget.identityText')}</p>
        </div>
        <Button onClick={make}>{t('widget.identityNew')}</Button>
      </div>
      {secret && (
        <>
          <CopyField value={secret} label={t('widget.copy')} />
          <p role="status" className="text-sm text-warning">
            {t('widget.identityOnce')}
          </p>
        </>
      )}
    </section>
  );
}
