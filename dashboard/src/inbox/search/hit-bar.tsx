/** Moves between the hits of the open conversation. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ChevronDown, ChevronUp, Search, X } from 'lucide-react';
import { useShortcut } from '../../app/shortcuts.tsx';
import { number } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { conversationHitsQuery } from './hit-data.ts';

export function HitBar({ sessionId, q, message }: { sessionId: string; q: string; message: string }) {
  const navigate = useNavigate();
  const { data } = useQuery(conversationHitsQuery(sessionId, q));
  const hits = data?.items ?? [];
  // Only so many are loaded: the position is among these.
  const loaded = `${number(hits.length)}${data && data.total > hits.length ? '+' : ''}`;
  const at = hits.findIndex(({ id }) => id === message);
  const goTo = (index: number) => {
    const hit = hits[(index + hits.length) % Math.max(1, hits.length)];
    if (hit)
      void navigate({
        to: '/inbox/$sessionId',
        params: { sessionId },
        search: { message: hit.id, q },
        replace: true,
      });
  };
  const next = () => goTo(at + 1);
  const previous = () => goTo(at < 0 ? -1 : at - 1);
  const close = () =>
    void navigate({ to: '/inbox/$sessionId', params: { sessionId }, search: {}, replace: true });
  useShortcut(']', next, { label: t('inbox.hits.next'), group: 'inbox' });
  useShortcut('[', previous, { label: t('inbox.hits.previous'), group: 'inbox' });
  return (
    <search className="flex h-9 shrink-0 items-center gap-1 border-b border-line bg-surface pr-2 pl-4 text-sm text-muted">
      <Search aria-hidden className="size-3.5 shrink-0 text-faint" />
      <span className="ml-1 min-w-0 truncate font-medium text-ink" title={q}>
        {q}
      </span>
      <span role="status" className="tabular ml-1 flex-1 truncate">
        {data &&
          (at < 0
            ? t('inbox.hits.inConversation', { count: number(data.total) })
            : t('inbox.hits.position', { at: number(at + 1), count: loaded }))}
      </span>
      <IconButton label={t('inbox.hits.previous')} shortcut="[" disabled={hits.length < 2} onClick={previous}>
        <ChevronUp className="size-4" />
      </IconButton>
      <IconButton label={t('inbox.hits.next')} shortcut="]" disabled={hits.length < 2} onClick={next}>
        <ChevronDown className="size-4" />
      </IconButton>
      <IconButton label={t('inbox.hits.close')} onClick={close}>
        <X className="size-4" />
      </IconButton>
    </search>
  );
}
