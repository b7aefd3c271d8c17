import type { Channel } from '../../../../contract/channels.ts';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { Badge } from '../../ui/display/badge.tsx';
import { channelTypeName } from './channel-types.tsx';
import { connectorOf } from './connect/connector-data.ts';
import { StateBadge } from './connect/connector-state.tsx';

/** The type of a channel, and the state of its connection. A row of a phone's width has room for the state only. */
export function ChannelBadges({ channel, isRow }: { channel: Channel; isRow?: boolean }) {
  const connector = connectorOf(channel);
  const isOff = !channel.enabled;
  return (
    <>
      <Badge className={cx(isRow && (connector || isOff) && 'max-sm:hidden')}>
        {connector ? t(`connectors.kind.${connector.kind}`) : channelTypeName(channel.type)}
      </Badge>
      {connector ? (
        <StateBadge state={connector.state} isOff={isOff} />
      ) : (
        isOff && <Badge>{t('connectors.disabled')}</Badge>
      )}
    </>
  );
}
