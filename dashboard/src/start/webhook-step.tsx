import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ShieldAlert, ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { webhookEvents } from '../../../contract/events.ts';
import type { SignatureVerdict, WebhookInbox } from '../../../contract/webhook-inbox.ts';
import type { Webhook } from '../../../contract/webhooks.ts';
import { api } from '../data/api.ts';
import { refresh } from '../data/refresh.ts';
import { reload, settingsKeys } from '../settings/settings-data.ts';
import { CodeBlock } from '../settings/webhooks/code-block.tsx';
import { locale, t } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';
import { Button } from '../ui/controls/button.tsx';
import { CopyField } from '../ui/controls/copy-field.tsx';
import { Badge } from '../ui/display/badge.tsx';
import { Time } from '../ui/display/time.tsx';
import { toast } from '../ui/overlays/toast.tsx';
import { plainLink, StepText } from './chat-steps.tsx';
import { webhookInboxQuery } from './start-data.ts';

export function WebhookStep({ onStay }: { onStay(): void }) {
  const { data } = useQuery(webhookInboxQuery);
  const [busy, setBusy] = useState(false);
  const inbox = data?.inbox ?? null;
  const send = async () => {
    onStay();
    setBusy(true);
    try {
      const opened = await api<WebhookInbox>('POST', '/webhook-inbox');
      await api('POST', `/webhooks/${await webhookOf(opened)}/test`);
      await refresh(webhookInboxQuery.queryKey);
    } catch (error) {
      toast.failed(t('start.webhook.failed'), error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <StepText>{t('start.webhook.text')}</StepText>
      {inbox && (
        <div className="flex flex-col gap-1">
          <div className="flex items-baseline justify-between gap-2 text-sm">
            <h3 className="font-medium text-faint">{t('start.webhook.address')}</h3>
            <span className="text-faint">
              {t('start.webhook.until', { time: clockTime(inbox.expiresAt) })}
            </span>
          </div>
          <CopyField value={inbox.url} label={t('start.webhook.copy')} />
        </div>
      )}
      <div className="flex flex-wrap gap-2">
        <Button tone={inbox ? 'plain' : 'primary'} busy={busy} onClick={() => void send()}>
          {inbox ? t('start.webhook.again') : t('start.webhook.open')}
        </Button>
        <Link to="/settings/$section" params={{ section: 'webhooks' }} className={plainLink}>
          {t('start.webhook.all')}
        </Link>
      </div>
      {inbox && <Requests inbox={inbox} />}
    </>
  );
}

const clockTime = (at: number) =>
  new Date(at).toLocaleTimeString(locale(), { hour: '2-digit', minute: '2-digit' });

/** The one that sends here already, enabled again if the closed receiver had disabled it; else a new one. */
async function webhookOf({ url, webhookId }: WebhookInbox): Promise<string> {
  if (webhookId) {
    const { enabled } = await api<Webhook>('GET', `/webhooks/${webhookId}`);
    if (!enabled) await api('PATCH', `/webhooks/${webhookId}`, { body: { enabled: true } });
    return webhookId;
  }
  const body = { url, events: [...webhookEvents], description: t('start.webhook') };
  const { id } = await api<Webhook>('POST', '/webhooks', { body });
  void reload(settingsKeys.webhooks);
  return id;
}

function Requests({ inbox: { requests } }: { inbox: WebhookInbox }) {
  const [chosen, choose] = useState<string | null>(null);
  const shown = requests.find(({ id }) => id === chosen) ?? requests[0];
  if (!shown) {
    return (
      <p role="status" className="text-muted">
        {t('start.webhook.waiting')}
      </p>
    );
  }
  return (
    <>
      <section
        aria-label={t('start.webhook.requests')}
        className="flex flex-col rounded-control border border-line"
      >
        <ul className="max-h-44 overflow-y-auto">
          {requests.map((request) => (
            <li key={request.id} className="border-b border-line last:border-0">
              <button
                type="button"
                aria-pressed={request === shown}
                onClick={() => choose(request.id)}
                className={cx(
                  'flex w-full items-center gap-2 px-2.5 py-1.5 text-left hover:bg-hover',
                  request === shown && 'bg-sunken',
                )}
              >
                <code className="min-w-0 flex-1 truncate font-mono text-sm">{eventOf(request.body)}</code>
                <Verdict signature={request.signature} />
                <Time
                  at={request.receivedAt}
                  tip={false}
                  className="tabular w-8 text-right text-sm text-faint"
                />
              </button>
            </li>
          ))}
        </ul>
      </section>
      <p className="text-muted">{t('start.webhook.hint')}</p>
      <h3 className="text-sm font-medium text-faint">{t('start.webhook.headers')}</h3>
      <CodeBlock text={headersOf(shown.headers)} label={t('start.webhook.headers')} />
      <h3 className="text-sm font-medium text-faint">{t('start.webhook.body')}</h3>
      <CodeBlock text={readable(shown.body)} label={t('start.webhook.body')} />
    </>
  );
}

const verdicts: { [signature in SignatureVerdict]: () => string } = {
  valid: () => t('start.webhook.valid'),
  invalid: () => t('start.webhook.invalid'),
  missing: () => t('start.webhook.missing'),
  unknown: () => t('start.webhook.unknown'),
};

function Verdict({ signature }: { signature: SignatureVerdict }) {
  const isGood = signature === 'valid';
  const Icon = isGood ? ShieldCheck : ShieldAlert;
  return (
    <Badge hue={isGood ? 'green' : signature === 'invalid' ? 'red' : undefined}>
      <Icon aria-hidden className="size-3" />
      {verdicts[signature]()}
    </Badge>
  );
}

const headersOf = (headers: WebhookInbox['requests'][number]['headers']) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

const eventOf = (body: string) => {
  const { event } = (parsed(body) ?? {}) as { event?: unknown };
  return typeof event === 'string' ? event : 'POST';
};

const readable = (body: string) => {
  const value = parsed(body);
  return value === null ? body : JSON.stringify(value, null, 2);
};
