import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Static } from 'typebox';
import type { WebhookEvent } from '../../../../contract/events.ts';
import type { SecretAnswer, Webhook, WebhookUpdate } from '../../../../contract/webhooks.ts';
import { api } from '../../data/api.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { Danger } from '../parts/danger.tsx';
import { SavedMark, SavedText, useSaving } from '../parts/saved-fields.tsx';
import { IdField, SecretPart } from '../parts/secret-part.tsx';
import { reload, settingsKeys } from '../settings-data.ts';
import { type Filters, WebhookFilters } from './webhook-filters.tsx';

export const changeWebhook = async (id: string, body: WebhookUpdate) => {
  await api('PATCH', `/webhooks/${id}`, { body });
  await reload(settingsKeys.webhooks);
};

export function WebhookForm({ webhook }: { webhook: Webhook }) {
  const navigate = useNavigate();
  const { saved, error, run } = useSaving();
  const [savedPart, setSavedPart] = useState<keyof Filters | null>(null);
  const { id } = webhook;
  const [filters, setFilters] = useState<Filters>({
    events: webhook.events as WebhookEvent[],
    kanbanIds: webhook.kanbanIds,
    fieldIds: webhook.fieldIds,
  });
  const changeFilters = async (next: WebhookUpdate) => {
    const before = filters;
    setFilters({ ...filters, ...(next as Partial<Filters>) });
    setSavedPart(Object.keys(next)[0] as keyof Filters);
    if (!(await run(() => changeWebhook(id, next)))) setFilters(before);
  };
  const disable = () =>
    changeWebhook(id, { enabled: false }).catch((failure) => toast.failed(t('settings.failed'), failure));
  return (
    <div className="flex max-w-[640px] flex-col gap-6 pt-5">
      <SavedText
        label={t('webhooks.url')}
        hint={t('webhooks.urlHint')}
        mono
        type="url"
        required
        value={webhook.url}
        onSave={(url) => changeWebhook(id, { url })}
      />
      <SavedText
        label={t('webhooks.description')}
        value={webhook.description}
        onSave={(description) => changeWebhook(id, { description })}
      />
      <WebhookFilters
        filters={filters}
        onChange={(next) => void changeFilters(next)}
        savedMark={(name) => <SavedMark saved={saved && savedPart === name} />}
      />
      {error && (
        <p role="alert" className="text-danger">
          {error}
        </p>
      )}
      <SecretPart
        text={t('webhooks.secretText')}
        rotate={async () =>
          (await api<Static<typeof SecretAnswer>>('POST', `/webhooks/${id}/rotate-secret`)).secret
        }
      />
      <IdField id={id} />
      {webhook.enabled && (
        <section className="flex items-center justify-between gap-4 border-t border-line pt-6">
          <div>
            <h3 className="font-medium">{t('webhooks.disable')}</h3>
            <p className="text-muted">{t('webhooks.disableText')}</p>
          </div>
          <Button onClick={() => void disable()}>{t('webhooks.disableAct')}</Button>
        </section>
      )}
      <Danger
        title={t('webhooks.delete')}
        text={t('webhooks.deleteText')}
        consequence={t('webhooks.deleteConsequence')}
        name={webhook.description || webhook.url}
        action={t('ui.delete')}
        failed={t('webhooks.deleteFailed')}
        onConfirm={async () => {
          await api('DELETE', `/webhooks/${id}`);
          await navigate({ to: '/settings/$section', params: { section: 'webhooks' } });
          await reload(settingsKeys.webhooks);
          toast.done(t('webhooks.deleted'));
        }}
      />
    </div>
  );
}
