import { RotateCw } from 'lucide-react';
import { useState } from 'react';
import { t } from '../../../texts/texts.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { toast } from '../../../ui/overlays/toast.tsx';
import { setConnected } from './connector-data.ts';

export function ConnectButton({ channelId, disabled }: { channelId: string; disabled: boolean }) {
  const [busy, setBusy] = useState(false);
  const connect = async () => {
    setBusy(true);
    try {
      await setConnected(channelId, true);
    } catch (error) {
      toast.failed(t('connectors.connectFailed'), error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button
      busy={busy}
      disabled={disabled}
      tone="primary"
      icon={<RotateCw className="size-3.5" />}
      onClick={() => void connect()}
    >
      {t('connectors.connect')}
    </Button>
  );
}
