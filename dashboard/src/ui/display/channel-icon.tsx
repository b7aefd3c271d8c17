import { Code, Globe, Mail, MessageCircle, MessageSquare, MessageSquareText, Send } from 'lucide-react';

/** The same as where channels are connected. */
const channelIcons: { [type: string]: typeof Code } = {
  api: Code,
  web: Globe,
  chatbot: Send,
  sms: MessageSquareText,
  email: Mail,
};

export function ChannelIcon({ type, className }: { type: string; className?: string }) {
  const Icon = channelIcons[type] ?? (type.startsWith('chatapp') ? MessageCircle : MessageSquare);
  return <Icon aria-hidden className={className} />;
}
