/** One event: what is sent of it, and why each webhook and channel did or did not get it. */

import { useQuery } from '@tanstack/react-query';
import type { Verdict } from '../../../../contract/webhooks.ts';
import { channelsQuery } from '../../data/queries.ts';
import { dateTime } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { Skeleton } from '../../ui/display/states.tsx';
import { Panel } from '../../ui/overlays/panel.tsx';
import { Row, Rows } from '../parts/rows.tsx';
import { Answer } from '../parts/section.tsx';
import { eventQuery, webhooksQuery } from '../settings-data.ts';
import { CodeBlock } from './code-block.tsx';
import { StatusBadge } from './delivery-status.tsx';

export function EventPanel({ eventId, onClose }: { eventId: string; onClose(): void }) {
  const event = useQuery(eventQuery(eventId));
  return (
    <Panel
      label={t('webhooks.event')}
      onClose={onClose}
      header={<span className="truncate font-mono text-sm font-medium">{event.data?.event ?? eventId}</span>}
    >
      <Answer query={event} loading={<Skeleton className="m-4 h-60" />}>
        {({ timestamp, body, verdicts }) => (
          <div className="flex flex-col gap-6 p-4">
            <p className="text-muted">{t('webhooks.happened', { date: dateTime(timestamp) })}</p>
            <section className="flex flex-col gap-2">
              <h3 className="font-semibold">{t('deliveries.verdicts')}</h3>
              <Verdicts verdicts={verdicts} />
            </section>
            <section className="flex flex-col gap-2">
              <h3 className="font-semibold">{t('deliveries.body')}</h3>
              <CodeBlock label={t('deliveries.body')} text={JSON.stringify(body, null, 2)} />
            </section>
          </div>
        )}
      </Answer>
    </Panel>
  );
}

export function Verdicts({ verdicts }: { verdicts: readonly Verdict[] }) {
  const webhooks = useQuery(webhooksQuery).data ?? [];
  const channels = useQuery(channelsQuery).data ?? [];
  if (verdicts.length === 0) return <p className="text-muted">{t('deliveries.noVerdicts')}</p>;
  const nameOf = (id: string) => {
    const webhook = webhooks.find((one) => one.id === id);
    if (webhook) return webhook.description || webhook.url;
    return channels.find((one) => one.id === id)?.name ?? id;
  };
  return (
    <Rows label={t('deliveries.verdicts')}>
      {verdicts.map(({ webhookId, status, filteredBy }) => (
        <Row
          key={webhookId}
          title={nameOf(webhookId)}
          text={filteredBy && t(`deliveries.filteredBy.${filteredBy}`)}
          end={<StatusBadge status={status} />}
        />
      ))}
    </Rows>
  );
}
