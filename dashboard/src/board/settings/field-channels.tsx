/** The channels whose conversations fill the field, one by one or by their type. */

import { channelTypes } from '../../../../contract/limits.ts';
import { useChannels } from '../../data/queries.ts';
import { ChannelTypeIcon, channelTypeName } from '../../settings/channels/channel-types.tsx';
import { ChipPicker } from '../../settings/parts/choices.tsx';
import { t } from '../../texts/texts.ts';
import type { Option } from '../../ui/controls/select.tsx';

export interface FieldChannelsProps {
  /** Names and types of channels. */
  chosen: readonly string[];
  onChange(chosen: string[]): void;
}

export default function FieldChannels({ chosen, onChange }: FieldChannelsProps) {
  const channels = useChannels();
  const options: Option[] = [
    ...channels.map(({ name, type }) => ({
      value: name,
      label: name,
      mark: <ChannelTypeIcon type={type} />,
    })),
    ...channelTypes.map((type) => ({
      value: type,
      label: t('boardSettings.everyChannel', { type: channelTypeName(type) }),
      mark: <ChannelTypeIcon type={type} />,
    })),
  ];
  const known = new Map(options.map((option) => [option.value, option]));
  // A name that no channel has yet.
  for (const value of chosen) if (!known.has(value)) known.set(value, { value, label: value });
  return (
    <ChipPicker
      label={t('boardSettings.channels')}
      hint={t('boardSettings.channelsHint')}
      none={t('boardSettings.noChannels')}
      options={[...known.values()]}
      chosen={chosen}
      onChange={onChange}
    />
  );
}
