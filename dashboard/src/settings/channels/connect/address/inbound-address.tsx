/** Where the provider delivers messages, and the token by which it checks the address. */
import type { Connector } from '../../../../../../contract/connectors.schemas.ts';
import { t } from '../../../../texts/texts.ts';
import { CopyField } from '../../../../ui/controls/copy-field.tsx';
import type { Kind } from '../connector-kinds.tsx';
import { UnreachableNote } from './reachable.tsx';
import { verifyTokenOf } from './verify-token.ts';

interface InboundAddressProps {
  channelId: string;
  connector: Connector;
  kind: Kind;
}

export function InboundAddress({ channelId, connector, kind }: InboundAddressProps) {
  if (!kind.needsAddress && connector.mode !== 'webhook') return null;
  const place = kind.addressHint ?? 'telegram';
  const hasToken = kind.fields.some(({ name }) => name === 'verifyToken');
  return (
    <div className="flex flex-col gap-3">
      <UnreachableNote address={connector.inboundUrl} />
      <div className="flex flex-col gap-1">
        <span className="font-medium">{t('connectors.address')}</span>
        <CopyField value={connector.inboundUrl} label={t('connectors.copyAddress')} />
        <Hint text={t(`connectors.addressHint.${place}`)} />
      </div>
      {hasToken && <VerifyToken token={verifyTokenOf(channelId)} />}
    </div>
  );
}

function VerifyToken({ token }: { token: string | undefined }) {
  if (token === undefined) return <Hint text={t('connectors.tokenStored')} />;
  return (
    <div className="flex flex-col gap-1">
      <span className="font-medium">{t('connectors.field.verifyToken')}</span>
      <CopyField value={token} label={t('connectors.copyToken')} />
      <Hint text={t('connectors.tokenOnce')} />
    </div>
  );
}

const Hint = ({ text }: { text: string }) => <p className="text-sm text-pretty text-muted">{text}</p>;
