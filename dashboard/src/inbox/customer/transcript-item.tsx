import { useQuery } from '@tanstack/react-query';
import { Mail } from 'lucide-react';
import { api } from '../../data/api.ts';
import { t } from '../../texts/texts.ts';
import { MenuItem } from '../../ui/overlays/menu.tsx';

/** Only where the instance can send e-mail. Asked when a menu is opened for the first time. */
export function TranscriptItem({ onSelect }: { onSelect(): void }) {
  const { data } = useQuery({
    queryKey: ['mail'],
    queryFn: ({ signal }) => api<{ isConfigured: boolean }>('GET', '/mail', { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!data?.isConfigured) return null;
  return (
    <MenuItem icon={<Mail className="size-4" />} onSelect={onSelect}>
      {t('inbox.transcript')}
    </MenuItem>
  );
}
