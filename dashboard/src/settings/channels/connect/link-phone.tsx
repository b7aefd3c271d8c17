/** The QR code that links a phone. It changes until the phone has read it. */
import { useQuery } from '@tanstack/react-query';
import { Smartphone } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { describeError } from '../../../data/errors.ts';
import { keys } from '../../../data/queries.ts';
import { t } from '../../../texts/texts.ts';
import { Spinner } from '../../../ui/controls/button.tsx';
import { CopyField } from '../../../ui/controls/copy-field.tsx';
import { toast } from '../../../ui/overlays/toast.tsx';
import { reload } from '../../settings-data.ts';
import { scanQuery } from './connector-data.ts';

const scanSteps = ['1', '2', '3'] as const;

export function LinkPhone({ channelId, isLinked }: { channelId: string; isLinked: boolean }) {
  const { data: scan, error } = useQuery({ ...scanQuery(channelId), enabled: !isLinked });
  const isDone = isLinked || scan?.state === 'connected';
  const wasWaiting = useRef(!isLinked);
  useEffect(() => {
    if (!isDone || !wasWaiting.current) return;
    wasWaiting.current = false;
    toast.done(t('connectors.scan.done'));
    void reload(keys.channels);
  }, [isDone]);
  if (isDone) {
    return (
      <p className="flex items-center gap-2 text-success">
        <Smartphone aria-hidden className="size-4" /> {t('connectors.scan.linked')}
      </p>
    );
  }
  return (
    <div className="flex gap-4 max-sm:flex-col">
      <div className="flex size-52 shrink-0 items-center justify-center rounded-panel border border-line bg-white p-2 max-sm:self-center">
        {scan?.qr ? (
          <img src={scan.qr} alt={t('connectors.scan.code')} className="size-full" />
        ) : (
          <span role="status" aria-label={t('connectors.scan.waiting')} className="text-[#5a5d66]">
            <Spinner className="size-5" />
          </span>
        )}
      </div>
      <div className="flex min-w-0 flex-1 flex-col gap-2">
        <h4 className="font-medium">{t('connectors.scan.title')}</h4>
        <ol className="flex list-decimal flex-col gap-1 pl-4 text-pretty text-muted">
          {scanSteps.map((step) => (
            <li key={step}>{t(`connectors.scan.step.${step}`)}</li>
          ))}
        </ol>
        {scan?.pairingCode && (
          <div className="flex flex-col gap-1">
            <span className="text-sm text-muted">{t('connectors.scan.pairing')}</span>
            <CopyField value={scan.pairingCode} label={t('connectors.scan.copyPairing')} />
          </div>
        )}
        {error && (
          <p role="alert" className="text-danger">
            {describeError(error).text}
          </p>
        )}
      </div>
    </div>
  );
}
