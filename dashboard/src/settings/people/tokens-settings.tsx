import { useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import type { ApiToken } from '../../../../contract/accounts.ts';
import { scopes } from '../../../../contract/limits.ts';
import { api } from '../../data/api.ts';
import { TokenAddresses } from '../../security/token-addresses.tsx';
import { shortDate } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Badge } from '../../ui/display/badge.tsx';
import { Time } from '../../ui/display/time.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { ConfirmDanger } from '../parts/danger.tsx';
import { CreateButton, EntityList } from '../parts/entity-list.tsx';
import { Row, RowIcon } from '../parts/rows.tsx';
import { SecretDialog } from '../parts/secret-dialog.tsx';
import { Answer, Section } from '../parts/section.tsx';
import { reload, settingsKeys, tokensQuery } from '../settings-data.ts';
import { type CreatedToken, NewToken } from './new-token.tsx';
import { TransferToken } from './transfer-token.tsx';

export default function TokensSettings() {
  const tokens = useQuery(tokensQuery);
  const [isNew, setNew] = useState(false);
  const [created, setCreated] = useState<CreatedToken | null>(null);
  const [revoking, setRevoking] = useState<ApiToken | null>(null);
  const [limiting, setLimiting] = useState<ApiToken | null>(null);
  const [transferring, setTransferring] = useState<ApiToken | null>(null);
  const add = <CreateButton label={t('tokens.new')} onClick={() => setNew(true)} />;
  return (
    <Section title={t('settings.tokens')} description={t('tokens.text')} actions={add}>
      <Answer query={tokens}>
        {(list) => (
          <EntityList
            label={t('settings.tokens')}
            items={list}
            empty={{
              icon: <KeyRound className="size-4" />,
              title: t('tokens.empty'),
              text: t('tokens.emptyText'),
            }}
            row={(token) => (
              <TokenRow
                key={token.id}
                token={token}
                onLimit={() => setLimiting(token)}
                onTransfer={() => setTransferring(token)}
                onRevoke={() => setRevoking(token)}
              />
            )}
          />
        )}
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
      {limiting && <TokenAddresses token={limiting} onClose={() => setLimiting(null)} />}
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
  onLimit,
  onTransfer,
  onRevoke,
}: {
  token: ApiToken;
  onLimit(): void;
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
          {token.allowedAddresses.length > 0 && <Badge>{t('security.limited')}</Badge>}
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
              {t('tokens.used')} <Time ago at={lastUsedAt} />
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
            aria-label={t('security.tokenAddressesOf', { name })}
            onClick={onLimit}
          >
            {t('security.tokenAddresses')}
          </Button>
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
