import { useQuery } from '@tanstack/react-query';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import type { Static } from 'typebox';
import type { ApiToken, ApiTokenCreated } from '../../../../contract/accounts.ts';
import { defaultScopes, limits, type Scope, scopes } from '../../../../contract/limits.ts';
import { api } from '../../data/api.ts';
import { shortDate } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field, Input } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { Badge } from '../../ui/display/badge.tsx';
import { EmptyState } from '../../ui/display/states.tsx';
import { Time } from '../../ui/display/time.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { CheckList } from '../parts/choices.tsx';
import { ConfirmDanger } from '../parts/danger.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Row, RowIcon, Rows } from '../parts/rows.tsx';
import { SecretDialog } from '../parts/secret-dialog.tsx';
import { Answer, Section } from '../parts/section.tsx';
import { reload, settingsKeys, tokensQuery } from '../settings-data.ts';
import { TransferToken } from './transfer-token.tsx';

type Created = Static<typeof ApiTokenCreated>;

export default function TokensSettings() {
  const tokens = useQuery(tokensQuery);
  const [isNew, setNew] = useState(false);
  const [created, setCreated] = useState<Created | null>(null);
  const [revoking, setRevoking] = useState<ApiToken | null>(null);
  const [transferring, setTransferring] = useState<ApiToken | null>(null);
  const add = (
    <Button tone="primary" icon={<Plus className="size-3.5" />} onClick={() => setNew(true)}>
      {t('tokens.new')}
    </Button>
  );
  return (
    <Section title={t('settings.tokens')} description={t('tokens.text')} actions={add}>
      <Answer query={tokens}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState
              icon={<KeyRound className="size-4" />}
              title={t('tokens.empty')}
              text={t('tokens.emptyText')}
            />
          ) : (
            <Rows label={t('settings.tokens')}>
              {list.map((token) => (
                <TokenRow
                  key={token.id}
                  token={token}
                  onTransfer={() => setTransferring(token)}
                  onRevoke={() => setRevoking(token)}
                />
              ))}
            </Rows>
          )
        }
      </Answer>
      {isNew && <NewToken onClose={() => setNew(false)} onCreated={setCreated} />}
      {created && (
        <SecretDialog
          title={t('tokens.created', { name: created.name })}
          text={t('tokens.createdText')}
          secret={created.token}
          label={t('tokens.copy')}
          onClose={() => setCreated(null)}
        />
      )}
      {transferring && <TransferToken token={transferring} onClose={() => setTransferring(null)} />}
      {revoking && (
        <ConfirmDanger
          open
          onOpenChange={() => setRevoking(null)}
          title={t('tokens.revokeTitle', { name: revoking.name })}
          consequence={t('tokens.revokeConsequence')}
          name={revoking.name}
          action={t('tokens.revoke')}
          failed={t('tokens.revokeFailed')}
          onConfirm={async () => {
            await api('DELETE', `/api-tokens/${revoking.id}`);
            await reload(settingsKeys.tokens);
            toast.done(t('tokens.revoked', { name: revoking.name }));
          }}
        />
      )}
    </Section>
  );
}

function TokenRow({
  token,
  onTransfer,
  onRevoke,
}: {
  token: ApiToken;
  onTransfer(): void;
  onRevoke(): void;
}) {
  const { name, scopes: granted, expiresAt, lastUsedAt, createdBy } = token;
  const isOver = expiresAt !== null && expiresAt <= Date.now();
  return (
    <Row
      stack
      mark={
        <RowIcon>
          <KeyRound className="size-4" />
        </RowIcon>
      }
      title={name}
      badges={
        <>
          {isOver && <Badge hue="red">{t('tokens.expired')}</Badge>}
          {granted.includes('manage') && <Badge hue="orange">{t('tokens.managing')}</Badge>}
        </>
      }
      text={
        <span title={granted.join(', ')}>
          {t('tokens.createdBy', { name: createdBy.name })}
          {' · '}
          {lastUsedAt === null ? (
            t('tokens.neverUsed')
          ) : (
            <>
              {t('tokens.used')} <Time at={lastUsedAt} />
            </>
          )}
          {' · '}
          {expiresAt === null ? t('tokens.noEnd') : t('tokens.ends', { date: shortDate(expiresAt) })}
          {' · '}
          {granted.length === scopes.length ? t('tokens.allScopes') : granted.join(', ')}
        </span>
      }
      end={
        <>
          <Button
            size="small"
            tone="quiet"
            aria-label={t('tokens.transferTitle', { name })}
            onClick={onTransfer}
          >
            {t('tokens.transfer')}
          </Button>
          <Button size="small" aria-label={t('tokens.revokeTitle', { name })} onClick={onRevoke}>
            {t('tokens.revoke')}
          </Button>
        </>
      }
    />
  );
}

const lives = ['30', '90', '365', 'never', 'date'] as const;
type Life = (typeof lives)[number];

function NewToken({ onClose, onCreated }: { onClose(): void; onCreated(token: Created): void }) {
  const [name, setName] = useState('');
  const [granted, setGranted] = useState<Scope[]>([...defaultScopes]);
  const [life, setLife] = useState<Life>('90');
  const [date, setDate] = useState('');
  const labels: { [life in Life]: string } = {
    30: t('tokens.days', { days: 30 }),
    90: t('tokens.days', { days: 90 }),
    365: t('tokens.year'),
    never: t('tokens.never'),
    date: t('tokens.onDate'),
  };
  const expiresAt = () => {
    if (life === 'never') return null;
    // A day that is named counts to its end, where the person is.
    if (life === 'date') return new Date(`${date}T23:59:59`).getTime();
    return Date.now() + Number(life) * 86_400_000;
  };
  const submit = async () => {
    const body = { name: name.trim(), scopes: granted, expiresAt: expiresAt() };
    const token = await api<Created>('POST', '/api-tokens', { body });
    await reload(settingsKeys.tokens);
    onCreated(token);
  };
  return (
    <FormDialog
      title={t('tokens.new')}
      description={t('tokens.newText')}
      action={t('ui.create')}
      ready={name.trim() !== '' && granted.length > 0 && (life !== 'date' || date !== '')}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={t('tokens.name')} hint={t('tokens.nameHint')}>
        {(ids) => (
          <Input
            {...ids}
            autoFocus
            value={name}
            maxLength={limits.nameLength}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <CheckList<Scope>
        label={t('tokens.scopes')}
        mono
        choices={scopes.map((scope) => ({ value: scope, label: scope, hint: t(`tokens.scope.${scope}`) }))}
        chosen={granted}
        onChange={setGranted}
      />
      <Field label={t('tokens.life')}>
        {(ids) => (
          <Select<Life>
            {...ids}
            value={life}
            options={lives.map((value) => ({ value, label: labels[value] }))}
            onChange={setLife}
          />
        )}
      </Field>
      {life === 'date' && (
        <Field label={t('tokens.lastDay')}>
          {(ids) => (
            <Input
              {...ids}
              type="date"
              min={new Date().toISOString().slice(0, 10)}
              value={date}
              onChange={(event) => setDate(event.target.value)}
            />
          )}
        </Field>
      )}
    </FormDialog>
  );
}
