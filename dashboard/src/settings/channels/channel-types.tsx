import { Bot, Code, Globe, type LucideIcon, Mail, MessageCircle, Smartphone } from 'lucide-react';
import { type ChannelType, channelTypes } from '../../../../contract/limits.ts';
import { t } from '../../texts/texts.ts';

const icons: { [type in ChannelType]: LucideIcon } = {
  api: Code,
  chatapp_byot: MessageCircle,
  chatapp_no: MessageCircle,
  chatapp: MessageCircle,
  web: Globe,
  chatbot: Bot,
  sms: Smartphone,
  email: Mail,
};

export const channelTypeName = (type: ChannelType) => t(`channels.type.${type}`);

export function ChannelTypeIcon({ type }: { type: ChannelType }) {
  const Icon = icons[type];
  return <Icon className="size-4" />;
}

export const channelTypeOptions = () =>
  channelTypes.map((value) => ({
    value,
    label: channelTypeName(value),
    mark: <ChannelTypeIcon type={value} />,
  }));
