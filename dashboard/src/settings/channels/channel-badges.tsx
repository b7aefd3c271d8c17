import type { Channel } from '../../../../contract/channels.ts';
import { t } from '../../texts/texts.ts';
import { Badge } from '../../ui/display/badge.tsx';
import { channelTypeName } from './channel-types.tsx';
import { connectorOf } from './connect/connector-data.ts';
import { StateBadge } from './connect/connector-state.tsx';

/** The type of a channel, and the state of its connection. */
export function ChannelBadges({ channel }: { channel: Channel }) {
  const connector = connectorOf(channel);
  const isOff = !channel.enabled;
  return (
    <>
      <Badge>{connector ? t(`connectors.kind.${connector.kind}`) : channelTypeName(channel.type)}</Badge>
      {connector ? (
        <StateBadge state={connector.state} isOff={isOff} />
      ) : (
        isOff && <Badge>{t('connectors.disabled')}</Badge>
      )}
    </>
  );
}
