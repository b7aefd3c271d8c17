import { Code, Globe, MessageCircle, MessageSquare, Smartphone } from 'lucide-react';

const channelIcons: { [type: string]: typeof Code } = {
  api: Code,
  web: Globe,
  chatbot: Globe,
  sms: Smartphone,
};

export function ChannelIcon({ type, className }: { type: string; className?: string }) {
  const Icon = channelIcons[type] ?? (type.startsWith('chatapp') ? MessageCircle : MessageSquare);
  return <Icon aria-hidden className={className} />;
}
