import { useQuery } from '@tanstack/react-query';
import { Mail } from 'lucide-react';
import { t } from '../../texts/texts.ts';
import { MenuItem } from '../../ui/overlays/menu.tsx';
import { mailQuery } from '../data/inbox-data.ts';

/** Only where the instance can send e-mail. Asked when a menu is opened for the first time. */
export function TranscriptItem({ onSelect }: { onSelect(): void }) {
  const { data } = useQuery(mailQuery);
  if (!data?.isConfigured) return null;
  return (
    <MenuItem icon={<Mail className="size-4" />} onSelect={onSelect}>
      {t('inbox.transcript')}
    </MenuItem>
  );
}
