/** The delivery log of one endpoint, a webhook or a channel: newest first, narrowed by status, each row opens a panel. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { History, PackageOpen, RotateCw } from 'lucide-react';
import { useState } from 'react';
import { type Delivery, type DeliveryStatus, deliveryStatuses } from '../../../../contract/webhooks.ts';
import { t, tn } from '../../texts/texts.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { Time } from '../../ui/display/time.tsx';
import { EntityList, LoadMore } from '../parts/entity-list.tsx';
import { Row } from '../parts/rows.tsx';
import { Answer, RowsSkeleton } from '../parts/section.tsx';
import { deliveriesQuery } from '../settings-data.ts';
import { DeliveryPanel } from './delivery-panel.tsx';
import { StatusBadge, statusName } from './delivery-status.tsx';
import { ReplayDialog } from './replay-dialog.tsx';

export interface DeliveriesProps {
  endpointId: string;
  url: string;
  enabled: boolean;
}

export function Deliveries({ endpointId, url, enabled }: DeliveriesProps) {
  const [status, setStatus] = useState<DeliveryStatus | 'all'>('all');
  const [openId, setOpenId] = useState<string | null>(null);
  const [replaying, setReplaying] = useState(false);
  const log = useInfiniteQuery(deliveriesQuery(endpointId, status === 'all' ? undefined : status));
  const all = log.data?.pages.flatMap(({ items }) => items) ?? [];
  const open = all.find(({ id }) => id === openId);
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <Select<DeliveryStatus | 'all'>
          label={t('deliveries.filter')}
          className="w-40!"
          value={status}
          onChange={setStatus}
          options={[
            { value: 'all', label: t('deliveries.all') },
            ...deliveryStatuses.map((value) => ({ value, label: statusName(value) })),
          ]}
        />
        <IconButton label={t('deliveries.refresh')} onClick={() => void log.refetch()}>
          <RotateCw className="size-4" />
        </IconButton>
        <span className="flex-1" />
        <Button
          icon={<History className="size-3.5" />}
          disabled={!enabled}
          onClick={() => setReplaying(true)}
        >
          {t('deliveries.replay')}
        </Button>
      </div>
      <Answer query={log} loading={<RowsSkeleton rows={6} />}>
        {() => (
          <EntityList
            label={t('webhooks.deliveries')}
            items={all}
            empty={{
              icon: <PackageOpen className="size-4" />,
              title: status === 'all' ? t('deliveries.empty') : t('deliveries.emptyStatus'),
              text: status === 'all' ? t('deliveries.emptyText') : undefined,
            }}
            row={(delivery) => (
              <Row
                key={delivery.id}
                title={<span className="font-mono text-sm">{delivery.event}</span>}
                badges={<StatusBadge status={delivery.status} />}
                text={lastOf(delivery)}
                end={<Time ago at={delivery.createdAt} className="tabular shrink-0 text-sm text-muted" />}
                onOpen={() => setOpenId(delivery.id)}
              />
            )}
          />
        )}
      </Answer>
      <LoadMore query={log} />
      {open && (
        <DeliveryPanel
          key={open.id}
          delivery={open}
          endpointId={endpointId}
          url={url}
          enabled={enabled}
          onClose={() => setOpenId(null)}
        />
      )}
      {replaying && <ReplayDialog endpointId={endpointId} onClose={() => setReplaying(false)} />}
    </div>
  );
}

function lastOf({ attempts }: Delivery): string {
  const last = attempts.at(-1);
  if (!last) return t('deliveries.notYet');
  const outcome = last.statusCode === null ? (last.error ?? '') : `HTTP ${last.statusCode}`;
  return `${tn('deliveries.attempts', attempts.length)} · ${outcome}`;
}
