/** The channels whose conversations fill the field, one by one or by their type. */
import { useQuery } from '@tanstack/react-query';
import type { Field } from '../../../../contract/kanbans.ts';
import { channelTypes } from '../../../../contract/limits.ts';
import { api } from '../../data/api.ts';
import { useChannels } from '../../inbox/inbox-data.ts';
import { ChannelTypeIcon, channelTypeName } from '../../settings/channels/channel-types.tsx';
import { ChipPicker } from '../../settings/parts/choices.tsx';
import { t } from '../../texts/texts.ts';
import type { Option } from '../../ui/select.tsx';

export interface FieldChannelsProps {
  boardId: string;
  /** null: a new field. */
  fieldId: string | null;
  /** null: as it was. */
  bindings: string[] | null;
  onChange(bindings: string[]): void;
}

export default function FieldChannels({ boardId, fieldId, bindings, onChange }: FieldChannelsProps) {
  const channels = useChannels();
  const { data } = useQuery({
    queryKey: ['crm-fields', boardId],
    queryFn: ({ signal }) =>
      api<{ fields: Field[] }>('GET', '/crm/fields', { query: { kanbanId: boardId }, signal }),
    enabled: fieldId !== null,
    staleTime: 0,
  });
  const stored = data?.fields.find((field) => field.fieldId === fieldId)?.channelBindings ?? [];
  const chosen = bindings ?? stored;
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
