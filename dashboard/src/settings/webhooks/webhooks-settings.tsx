import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Search, Webhook as WebhookIcon } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import type { Webhook } from '../../../../contract/webhooks.ts';
import { api } from '../../data/api.ts';
import { t, tn } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Input } from '../../ui/controls/input.tsx';
import { Badge } from '../../ui/display/badge.tsx';
import { CreateButton, EntityList } from '../parts/entity-list.tsx';
import { Row, RowIcon } from '../parts/rows.tsx';
import { SavedText } from '../parts/saved-fields.tsx';
import { SecretDialog } from '../parts/secret-dialog.tsx';
import { Answer, Part, Section } from '../parts/section.tsx';
import { reload, settingsKeys, webhookSettingsQuery, webhooksQuery } from '../settings-data.ts';
import { EventPanel } from './event-panel.tsx';
import { NewWebhook } from './new-webhook.tsx';

export default function WebhooksSettings() {
  const webhooks = useQuery(webhooksQuery);
  const navigate = useNavigate();
  const [isNew, setNew] = useState(false);
  const [created, setCreated] = useState<(Webhook & { secret: string }) | null>(null);
  return (
    <Section
      title={t('settings.webhooks')}
      description={t('webhooks.text')}
      actions={<CreateButton label={t('webhooks.new')} onClick={() => setNew(true)} />}
    >
      <Answer query={webhooks}>
        {(list) => (
          <EntityList
            label={t('settings.webhooks')}
            items={list}
            empty={{
              icon: <WebhookIcon className="size-4" />,
              title: t('webhooks.empty'),
              text: t('webhooks.emptyText'),
            }}
            row={(webhook) => (
              <Row
                key={webhook.id}
                to={{ section: 'webhooks', itemId: webhook.id }}
                mark={
                  <RowIcon>
                    <WebhookIcon className="size-4" />
                  </RowIcon>
                }
                title={webhook.description || webhook.url}
                badges={
                  <Badge hue={webhook.enabled ? 'green' : 'red'}>
                    {webhook.enabled ? t('webhooks.enabled') : t('webhooks.disabled')}
                  </Badge>
                }
                text={
                  <>
                    {tn('webhooks.events', webhook.events.length)}
                    {webhook.description && (
                      <>
                        {' · '}
                        <span className="font-mono text-sm">{webhook.url}</span>
                      </>
                    )}
                  </>
                }
              />
            )}
          />
        )}
      </Answer>
      <FindEvent />
      <Retention />
      {isNew && <NewWebhook onClose={() => setNew(false)} onCreated={setCreated} />}
      {created && (
        <SecretDialog
          title={t('webhooks.created')}
          text={t('webhooks.createdText')}
          secret={created.secret}
          label={t('webhooks.copySecret')}
          onClose={() => {
            setCreated(null);
            void navigate({
              to: '/settings/$section/$itemId',
              params: { section: 'webhooks', itemId: created.id },
            });
          }}
        />
      )}
    </Section>
  );
}

/** An event that no webhook got has no delivery to start from. */
function FindEvent() {
  const [id, setId] = useState('');
  const [open, setOpen] = useState<string | null>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (id.trim()) setOpen(id.trim());
  };
  return (
    <Part title={t('webhooks.find')} text={t('webhooks.findText')}>
      <form onSubmit={submit} className="flex gap-2">
        <Input
          aria-label={t('webhooks.eventId')}
          placeholder={t('webhooks.eventId')}
          className="font-mono text-sm"
          value={id}
          onChange={(event) => setId(event.target.value)}
        />
        <Button type="submit" className="h-8" icon={<Search className="size-3.5" />} disabled={!id.trim()}>
          {t('webhooks.lookUp')}
        </Button>
      </form>
      {open && <EventPanel eventId={open} onClose={() => setOpen(null)} />}
    </Part>
  );
}

function Retention() {
  const settings = useQuery(webhookSettingsQuery);
  return (
    <Part title={t('webhooks.log')} text={t('webhooks.logText')}>
      <Answer query={settings} loading={<div className="h-14" />}>
        {({ logDays }) => (
          <div className="max-w-48">
            <SavedText
              label={t('webhooks.logDays')}
              type="number"
              min={1}
              max={365}
              required
              value={String(logDays)}
              onSave={async (days) => {
                await api('PATCH', '/webhook-settings', { body: { logDays: Number(days) } });
                await reload(settingsKeys.webhookSettings);
              }}
            />
          </div>
        )}
      </Answer>
    </Part>
  );
}
