import type { Channel } from '../../../../contract/channels.ts';
import { type ConnectorState, connectorStates } from '../../../../contract/connectors.ts';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { Badge } from '../../ui/display/badge.tsx';
import type { Hue } from '../../ui/hues.ts';
import { channelTypeName } from './channel-types.tsx';
import { connectorOf } from './connect/connector-data.ts';

const hues: { [state in ConnectorState]: Hue | undefined } = {
  connected: 'green',
  connecting: 'blue',
  waiting_for_scan: 'yellow',
  error: 'red',
  disconnected: undefined,
};

/** The type of a channel, and the state of its connection. A row of a phone's width has room for the state only. */
export function ChannelBadges({ channel, isRow }: { channel: Channel; isRow?: boolean }) {
  const connector = connectorOf(channel);
  const isOff = !channel.enabled;
  return (
    <>
      <Badge className={cx(isRow && (connector || isOff) && 'max-sm:hidden')}>
        {connector ? t(`connectors.kind.${connector.kind}`) : channelTypeName(channel.type)}
      </Badge>
      {isOff && <Badge>{t('connectors.disabled')}</Badge>}
      {!isOff && connector && <StateBadge state={connector.state} />}
    </>
  );
}

function StateBadge({ state }: { state: ConnectorState }) {
  if (!connectorStates.includes(state)) return null;
  return <Badge hue={hues[state]}>{t(`connectors.state.${state}`)}</Badge>;
}
