/** One webhook: its settings, and the log of what was sent to it. */
import { useQuery } from '@tanstack/react-query';
import { CirclePause, Send } from 'lucide-react';
import { useState } from 'react';
import type { Static } from 'typebox';
import type { QueuedAnswer, Webhook } from '../../../../contract/webhooks.ts';
import { api } from '../../data/api.ts';
import { dateTime } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Tabs } from '../../ui/controls/tabs.tsx';
import { Badge } from '../../ui/display/badge.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { useSaving } from '../parts/saved-fields.tsx';
import { Answer, Section, SectionSkeleton } from '../parts/section.tsx';
import { reload, settingsKeys, webhookQuery } from '../settings-data.ts';
import { Deliveries } from './deliveries.tsx';
import { changeWebhook, WebhookForm } from './webhook-form.tsx';

const parent = () => ({ id: 'webhooks', label: t('settings.webhooks') });

export default function WebhookSettings({ itemId }: { itemId: string }) {
  const webhook = useQuery(webhookQuery(itemId));
  return (
    <Answer query={webhook} loading={<SectionSkeleton parent={parent()} />}>
      {(one) => <WebhookPage webhook={one} />}
    </Answer>
  );
}

function WebhookPage({ webhook }: { webhook: Webhook }) {
  const [tab, setTab] = useState('settings');
  const [busy, setBusy] = useState(false);
  const test = async () => {
    setBusy(true);
    try {
      await api<Static<typeof QueuedAnswer>>('POST', `/webhooks/${webhook.id}/test`);
      await reload(settingsKeys.deliveries(webhook.id));
      setTab('deliveries');
      toast.done(t('webhooks.testSent'));
    } catch (error) {
      toast.failed(t('webhooks.testFailed'), error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Section
      parent={parent()}
      name={webhook.description || webhook.url}
      title={
        <span className="flex flex-wrap items-center gap-2">
          <span className="min-w-0 break-all">{webhook.description || webhook.url}</span>
          <Badge hue={webhook.enabled ? 'green' : 'red'}>
            {webhook.enabled ? t('webhooks.enabled') : t('webhooks.disabled')}
          </Badge>
        </span>
      }
      actions={
        <Button icon={<Send className="size-3.5" />} busy={busy} onClick={() => void test()}>
          {t('webhooks.test')}
        </Button>
      }
    >
      {!webhook.enabled && <DisabledNotice webhook={webhook} />}
      <Tabs
        flush
        label={t('settings.webhooks')}
        value={tab}
        onChange={setTab}
        tabs={[
          {
            value: 'settings',
            label: t('settings.title'),
            content: <WebhookForm webhook={webhook} />,
          },
          {
            value: 'deliveries',
            label: t('webhooks.deliveries'),
            content: (
              <div className="pt-4">
                <Deliveries endpointId={webhook.id} url={webhook.url} enabled={webhook.enabled} />
              </div>
            ),
          },
        ]}
      />
    </Section>
  );
}

/** The service's English reason for a manual disable; other reasons are errors of the endpoint. */
const disabledWhy = (reason: string | null) =>
  reason === 'disabled by an administrator' ? t('webhooks.byAdministrator') : (reason ?? '');

function DisabledNotice({ webhook }: { webhook: Webhook }) {
  const { run, error } = useSaving();
  return (
    <div className="flex items-center gap-3 rounded-panel bg-warning-soft px-4 py-3 max-sm:flex-wrap">
      <CirclePause aria-hidden className="size-4 shrink-0 text-warning" />
      <div className="min-w-0 flex-1">
        <p className="font-medium">
          {t('webhooks.disabledSince', { date: webhook.disabledAt ? dateTime(webhook.disabledAt) : '' })}
        </p>
        <p className="text-muted">
          {error || t('webhooks.reason', { reason: disabledWhy(webhook.disabledReason) })}
        </p>
      </div>
      <Button onClick={() => void run(() => changeWebhook(webhook.id, { enabled: true }))}>
        {t('webhooks.enable')}
      </Button>
    </div>
  );
}
