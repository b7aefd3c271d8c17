/** Whether the channel receives and sends at all, and what happens to messages while it does not. */
import type { Channel, ChannelUpdate } from '../../../../contract/channels.ts';
import { t } from '../../texts/texts.ts';
import { SavedSwitch } from '../parts/saved-fields.tsx';
import { connectorOf } from './connect/connector-data.ts';

export type ChangeChannel = (body: ChannelUpdate) => Promise<void>;

export function EnabledSwitch({ channel, change }: { channel: Channel; change: ChangeChannel }) {
  const connector = connectorOf(channel);
  return (
    <SavedSwitch
      label={t('connectors.enabled')}
      hint={
        connector
          ? `${t('connectors.enabledHint')} ${t(`connectors.missed.${connector.kind}`)}`
          : t('connectors.enabledHint')
      }
      checked={channel.enabled}
      onSave={(enabled) => change({ enabled })}
    />
  );
}
