import { useState } from 'react';
import { crmEvents } from '../../../../contract/events.ts';
import type { Webhook } from '../../../../contract/webhooks.ts';
import { api } from '../../data/api.ts';
import { t } from '../../texts/texts.ts';
import { TextField } from '../../ui/controls/text-field.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { reload, settingsKeys } from '../settings-data.ts';
import { type Filters, WebhookFilters } from './webhook-filters.tsx';

export function NewWebhook({
  onClose,
  onCreated,
}: {
  onClose(): void;
  onCreated(webhook: Webhook & { secret: string }): void;
}) {
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  const [filters, setFilters] = useState<Filters>({ events: [...crmEvents], kanbanIds: [], fieldIds: [] });
  const submit = async () => {
    const body = { url: url.trim(), description: description.trim(), ...filters };
    const webhook = await api<Webhook & { secret: string }>('POST', '/webhooks', { body });
    await reload(settingsKeys.webhooks);
    onCreated(webhook);
  };
  return (
    <FormDialog
      title={t('webhooks.new')}
      action={t('ui.create')}
      ready={/^https?:\/\/./.test(url.trim()) && filters.events.length > 0}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={t('webhooks.url')}
        hint={t('webhooks.urlHint')}
        autoFocus
        type="url"
        mono
        placeholder="https://example.com/hooks/talkboard"
        value={url}
        onChange={setUrl}
      />
      <TextField label={t('webhooks.description')} value={description} onChange={setDescription} />
      <WebhookFilters
        filters={filters}
        onChange={(change) => setFilters({ ...filters, ...(change as Partial<Filters>) })}
      />
    </FormDialog>
  );
}
