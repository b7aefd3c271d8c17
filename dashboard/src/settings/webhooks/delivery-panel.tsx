import { useQuery } from '@tanstack/react-query';
import { RotateCw } from 'lucide-react';
import { useState } from 'react';
import type { Delivery } from '../../../../contract/webhooks.ts';
import { api } from '../../data/api.ts';
import { dateTime, number } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { CopyField } from '../../ui/controls/copy-field.tsx';
import { Badge } from '../../ui/display/badge.tsx';
import { Skeleton } from '../../ui/display/states.tsx';
import { Panel } from '../../ui/overlays/panel.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { Answer } from '../parts/section.tsx';
import { eventQuery, reload, settingsKeys } from '../settings-data.ts';
import { CodeBlock } from './code-block.tsx';
import { StatusBadge } from './delivery-status.tsx';
import { Verdicts } from './event-panel.tsx';

export interface DeliveryPanelProps {
  delivery: Delivery;
  endpointId: string;
  url: string;
  enabled: boolean;
  onClose(): void;
}

/** What was sent, what came back at every attempt, and what became of the same event elsewhere. */
export function DeliveryPanel({ delivery, endpointId, url, enabled, onClose }: DeliveryPanelProps) {
  const event = useQuery(eventQuery(delivery.eventId));
  const [busy, setBusy] = useState(false);
  const redeliver = async () => {
    setBusy(true);
    try {
      await api('POST', `/webhook-deliveries/${delivery.id}/redeliver`);
      await reload(settingsKeys.deliveries(endpointId));
      toast.done(t('deliveries.redelivered'));
    } catch (error) {
      toast.failed(t('deliveries.redeliverFailed'), error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Panel
      label={t('deliveries.one')}
      onClose={onClose}
      header={
        <>
          <span className="truncate font-mono text-sm font-medium">{delivery.event}</span>
          <StatusBadge status={delivery.status} />
        </>
      }
      actions={
        <Button
          icon={<RotateCw className="size-3.5" />}
          busy={busy}
          disabled={!enabled}
          onClick={() => void redeliver()}
        >
          {t('deliveries.redeliver')}
        </Button>
      }
    >
      <div className="flex flex-col gap-6 p-4">
        {delivery.nextAttemptAt !== null && delivery.status === 'retrying' && (
          <p className="text-muted">{t('deliveries.next', { date: dateTime(delivery.nextAttemptAt) })}</p>
        )}
        <section className="flex flex-col gap-2">
          <h3 className="font-semibold">{t('deliveries.request')}</h3>
          <CopyField value={`POST ${url}`} label={t('ui.copy')} />
          <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 font-mono text-sm">
            <dt className="text-muted">content-type</dt>
            <dd>application/json</dd>
            <dt className="text-muted">webhook-id</dt>
            <dd className="break-all">{delivery.eventId}</dd>
            <dt className="text-muted">webhook-timestamp</dt>
            <dd>{t('deliveries.ofAttempt')}</dd>
            <dt className="text-muted">webhook-signature</dt>
            <dd>{t('deliveries.signed')}</dd>
          </dl>
          <Answer query={event} loading={<Skeleton className="h-40 w-full" />}>
            {({ body }) => <CodeBlock label={t('deliveries.body')} text={JSON.stringify(body, null, 2)} />}
          </Answer>
        </section>
        <section className="flex flex-col gap-2">
          <h3 className="font-semibold">{t('deliveries.attemptsTitle')}</h3>
          {delivery.attempts.length === 0 && <p className="text-muted">{t('deliveries.notYet')}</p>}
          <ol className="flex flex-col gap-3">
            {delivery.attempts.map((attempt, index) => (
              <li key={attempt.at} className="flex flex-col gap-2 rounded-panel border border-line p-3">
                <div className="flex items-center gap-2">
                  <span className="text-muted">{index + 1}.</span>
                  <AttemptOutcome {...attempt} />
                  <span className="flex-1" />
                  <span className="tabular text-sm text-muted">
                    {dateTime(attempt.at)} · {number(Math.round(attempt.durationMs))} ms
                  </span>
                </div>
                {attempt.error && <p className="break-words text-danger">{attempt.error}</p>}
                {attempt.response && <CodeBlock label={t('deliveries.response')} text={attempt.response} />}
              </li>
            ))}
          </ol>
        </section>
        <section className="flex flex-col gap-2">
          <h3 className="font-semibold">{t('deliveries.verdicts')}</h3>
          <p className="text-muted">{t('deliveries.verdictsText')}</p>
          <Answer query={event} loading={<Skeleton className="h-12 w-full" />}>
            {({ verdicts }) => <Verdicts verdicts={verdicts} />}
          </Answer>
        </section>
      </div>
    </Panel>
  );
}

function AttemptOutcome({ statusCode }: { statusCode: number | null }) {
  if (statusCode === null) return <Badge hue="red">{t('deliveries.noAnswer')}</Badge>;
  return <Badge hue={statusCode >= 200 && statusCode < 300 ? 'green' : 'red'}>HTTP {statusCode}</Badge>;
}
