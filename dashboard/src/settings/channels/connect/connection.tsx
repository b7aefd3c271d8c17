/** The connection of a channel to its provider: its state, what to do about an error, and everything that changes it. */
import { PlugZap, Unplug } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import type { Channel } from '../../../../../contract/channels.ts';
import type { Connector } from '../../../../../contract/connectors.schemas.ts';
import { keys } from '../../../data/queries.ts';
import { useMay } from '../../../data/session.ts';
import { t, tn } from '../../../texts/texts.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { Time } from '../../../ui/display/time.tsx';
import { toast } from '../../../ui/overlays/toast.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { reload } from '../../settings-data.ts';
import { InboundAddress } from './address/inbound-address.tsx';
import { CheckButton, useCheck } from './check-button.tsx';
import { ConnectButton } from './connect-button.tsx';
import { changeConnector, connectorOf, setConnected } from './connector-data.ts';
import { isOffered, type Kind, kindOf, kindsForType } from './connector-kinds.tsx';
import { EditConnector } from './edit-connector.tsx';
import { LinkPhone } from './link-phone.tsx';

export default function Connection({ channel }: { channel: Channel }) {
  const connector = connectorOf(channel);
  const kind = connector ? kindOf(connector.kind) : undefined;
  if (!connector || !kind) return <NotConnected channel={channel} />;
  return <Connected channel={channel} connector={connector} kind={kind} />;
}

/** Offered where a kind fits the channel's type. */
function NotConnected({ channel }: { channel: Channel }) {
  const [chosen, setChosen] = useState<Kind | null>(null);
  const mayAddress = useMay('webhooks.manage');
  const offered = kindsForType(channel.type).filter((kind) => isOffered(kind, mayAddress));
  if (offered.length === 0) return null;
  const names = offered.map(({ kind }) => t(`connectors.kind.${kind}`));
  return (
    <Frame
      title={t('connectors.connection')}
      text={t('connectors.offer', { kind: names.join(', ') })}
      end={
        <div className="flex flex-col gap-2">
          {offered.map((kind, index) => (
            <Button key={kind.kind} icon={<PlugZap className="size-3.5" />} onClick={() => setChosen(kind)}>
              {offered.length === 1 ? t('connectors.connect') : names[index]}
            </Button>
          ))}
        </div>
      }
    >
      {chosen && <EditConnector channel={channel} kind={chosen} onClose={() => setChosen(null)} />}
    </Frame>
  );
}

interface ConnectedProps {
  channel: Channel;
  connector: Connector;
  kind: Kind;
}

function Connected({ channel, connector, kind }: ConnectedProps) {
  const [isEditing, setEditing] = useState(false);
  const isOn = channel.enabled;
  const { state } = connector;
  const check = useCheck(channel.id, state);
  useFreshState(state === 'connecting' || state === 'waiting_for_scan');
  return (
    <Frame title={t(`connectors.kind.${kind.kind}`)} text={<Traffic connector={connector} />}>
      {isOn && <Advice connector={connector} shown={check.answer?.detail} />}
      {isOn && kind.kind === 'evolution' && state !== 'disconnected' && state !== 'error' && (
        <LinkPhone channelId={channel.id} isLinked={state === 'connected'} />
      )}
      {connector.rejected && <Rejected {...connector.rejected} />}
      <InboundAddress channelId={channel.id} connector={connector} kind={kind} />
      <div className="flex flex-wrap items-start gap-2 max-sm:flex-col max-sm:items-stretch">
        <CheckButton check={check} />
        <Button onClick={() => setEditing(true)}>{t('connectors.edit')}</Button>
        {state === 'disconnected' ? (
          <ConnectButton channelId={channel.id} disabled={!isOn} />
        ) : (
          <ConfirmButton
            action={t('connectors.disconnect')}
            icon={<Unplug className="size-3.5" />}
            disabled={!isOn}
            title={t('connectors.disconnectTitle', { name: channel.name })}
            text={`${t('connectors.disconnectText')} ${t(`connectors.missed.${kind.kind}`)}`}
            failed={t('connectors.disconnectFailed')}
            onConfirm={() => setConnected(channel.id, false)}
          />
        )}
        <span className="flex-1 max-sm:hidden" />
        <ConfirmButton
          action={t('connectors.remove')}
          tone="quiet"
          className="text-danger!"
          title={t('connectors.removeTitle', { name: channel.name })}
          text={t('connectors.removeText')}
          failed={t('connectors.removeFailed')}
          onConfirm={async () => {
            await changeConnector(channel.id, null);
            toast.done(t('connectors.removed'));
          }}
        />
      </div>
      {isEditing && (
        <EditConnector
          channel={channel}
          kind={kind}
          connector={connector}
          onSaved={check.clear}
          onClose={() => setEditing(false)}
        />
      )}
    </Frame>
  );
}

const Frame = ({
  title,
  text,
  end,
  children,
}: {
  title: string;
  text: ReactNode;
  end?: ReactNode;
  children?: ReactNode;
}) => (
  <section
    aria-label={t('connectors.connection')}
    className="flex flex-col gap-4 rounded-panel border border-line p-4"
  >
    <div className="flex items-start justify-between gap-4">
      <div className="min-w-0">
        <h3 className="font-medium">{title}</h3>
        <p className="text-pretty text-muted">{text}</p>
      </div>
      {end}
    </div>
    {children}
  </section>
);

function Traffic({ connector: { lastInboundAt, lastOutboundAt } }: { connector: Connector }) {
  if (lastInboundAt === null && lastOutboundAt === null) return t('connectors.noTraffic');
  return (
    <>
      {lastInboundAt !== null && (
        <>
          {t('connectors.lastIn')} <Time ago at={lastInboundAt} />
        </>
      )}
      {lastInboundAt !== null && lastOutboundAt !== null && ' · '}
      {lastOutboundAt !== null && (
        <>
          {t('connectors.lastOut')} <Time ago at={lastOutboundAt} />
        </>
      )}
    </>
  );
}

interface AdviceProps {
  connector: Connector;
  /** A sentence that is on the page already. */
  shown: string | undefined;
}

/** What the provider said last, what that means and what to do. */
function Advice({ connector: { state, lastError }, shown }: AdviceProps) {
  if (state === 'disconnected') return <p className="text-pretty text-muted">{t('connectors.advice.off')}</p>;
  if (lastError === null && state !== 'error') return null;
  return (
    <div role="alert" className="rounded-control bg-danger-soft px-3 py-2 text-danger">
      {lastError !== null && lastError !== shown && <p className="font-medium wrap-anywhere">{lastError}</p>}
      <p className="text-pretty">
        {state === 'error' ? t('connectors.advice.error') : t('connectors.advice.retries')}
      </p>
    </div>
  );
}

/** The inbound address is called with a wrong signature: a wrong secret, or not the provider. */
const Rejected = ({ count, lastAt }: NonNullable<Connector['rejected']>) => (
  <p role="note" className="rounded-control bg-warning-soft px-3 py-2 text-pretty text-warning">
    {tn('connectors.rejected', count)} <Time ago at={lastAt} />
  </p>
);

const freshMs = 3_000;

/** A state that is about to change is read again; a live event may not follow. */
function useFreshState(isChanging: boolean): void {
  useEffect(() => {
    if (!isChanging) return;
    const timer = setInterval(() => void reload(keys.channels), freshMs);
    return () => clearInterval(timer);
  }, [isChanging]);
}
