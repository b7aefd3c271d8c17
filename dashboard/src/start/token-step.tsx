import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Static } from 'typebox';
import type { ApiTokenCreated } from '../../../contract/accounts.ts';
import { defaultScopes } from '../../../contract/limits.ts';
import { api } from '../data/api.ts';
import { firstRunQuery } from '../data/first-run.ts';
import { refresh } from '../data/refresh.ts';
import { reload, settingsKeys } from '../settings/settings-data.ts';
import { CodeBlock } from '../settings/webhooks/code-block.tsx';
import { t } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { CopyField } from '../ui/controls/copy-field.tsx';
import { toast } from '../ui/overlays/toast.tsx';
import { plainLink, StepText } from './chat-steps.tsx';

type Created = Static<typeof ApiTokenCreated>;

/** Quotes for a shell: a title in another language may have an apostrophe. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

export function TokenStep({ onStay }: { onStay(): void }) {
  const [created, setCreated] = useState<Created | null>(null);
  const [busy, setBusy] = useState(false);
  const make = async () => {
    onStay();
    setBusy(true);
    try {
      const body = { name: t('start.token.name'), scopes: [...defaultScopes] };
      setCreated(await api<Created>('POST', '/api-tokens', { body }));
      void reload(settingsKeys.tokens);
      await refresh(firstRunQuery.queryKey);
    } catch (error) {
      toast.failed(t('start.token.failed'), error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <StepText>{t('start.token.text')}</StepText>
      {created ? (
        <>
          <CopyField value={created.token} label={t('start.token.copy')} />
          <p className="text-muted">{t('start.token.once')}</p>
          <p>{t('start.token.curl')}</p>
          <CodeBlock text={commandWith(created.token)} label={t('start.token.command')} />
        </>
      ) : (
        <Button tone="primary" className="w-fit" busy={busy} onClick={() => void make()}>
          {t('start.token.make')}
        </Button>
      )}
      <div className="flex flex-wrap gap-2">
        <Link to="/settings/$section" params={{ section: 'api-tokens' }} className={plainLink}>
          {t('start.token.all')}
        </Link>
        <a href="/docs" target="_blank" rel="noreferrer" className={plainLink}>
          {t('start.token.reference')}
        </a>
      </div>
    </>
  );
}

const commandWith = (token: string) => `curl -s ${location.origin}/crm/records \\
  -H 'Authorization: Bearer ${token}' \\
  -H 'Content-Type: application/json' \\
  -d ${quoted(JSON.stringify({ title: t('start.token.title') }))}`;
