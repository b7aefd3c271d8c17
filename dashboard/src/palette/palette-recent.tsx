import { useNavigate } from '@tanstack/react-router';
import { FileText, MessageSquare } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { BoardDot } from '../app/board-dot.tsx';
import { forgetRecent, type RecentItem, recentItems } from '../app/remembered.ts';
import { api } from '../data/api.ts';
import { ApiError } from '../data/errors.ts';
import { useKanbans } from '../data/queries.ts';
import { useMay } from '../data/session.ts';
import type { PaletteEntry } from './palette-entry.ts';

const shown = 6;

/** As of opening the palette, without the current page. */
export function useRecentEntries(): PaletteEntry[] {
  const navigate = useNavigate();
  const boards = useKanbans();
  const items = useItemsThatAre();
  const seesRecords = useMay('records.view');
  const path = decodeURIComponent(location.pathname);
  return items
    .flatMap(({ kind, id, label, boardId }): PaletteEntry[] => {
      const board = boards.find((one) => one.id === (kind === 'board' ? id : boardId));
      const base = { id: `recent ${kind} ${id}`, group: 'recent' as const, label };
      if (kind === 'session') {
        if (path === `/app/inbox/${id}`) return [];
        const run = () => void navigate({ to: '/inbox/$sessionId', params: { sessionId: id } });
        return [{ ...base, icon: <MessageSquare className="size-4" />, run }];
      }
      // The board was deleted, or this person no longer sees its cards.
      if (!board || !seesRecords) return [];
      if (kind === 'board') {
        if (path === `/app/boards/${board.slug}`) return [];
        const run = () => void navigate({ to: '/boards/$boardId', params: { boardId: board.slug } });
        const icon = <BoardDot key={id} id={id} />;
        return [{ ...base, label: board.name, icon, run }];
      }
      if (path.endsWith(`/records/${id}`)) return [];
      const params = { boardId: board.slug, recordId: id };
      return [
        {
          ...base,
          icon: <FileText className="size-4" />,
          detail: board.name,
          run: () => void navigate({ to: '/boards/$boardId/records/$recordId', params }),
        },
      ];
    })
    .slice(0, shown);
}

/** Shows remembered items at once; deleted ones are removed when the service reports them. */
function useItemsThatAre(): RecentItem[] {
  const [items, setItems] = useState(recentItems);
  const asked = useRef(new Set<string>());
  useEffect(() => {
    // One more than shown, because the current page is left out.
    for (const item of items.slice(0, shown + 1)) {
      const path = addressOf(item);
      if (path === null || asked.current.has(path)) continue;
      asked.current.add(path);
      api('GET', path).catch((error: unknown) => {
        if (!(error instanceof ApiError) || error.status !== 404) return;
        forgetRecent(item);
        setItems((before) => before.filter((one) => one !== item));
      });
    }
  }, [items]);
  return items;
}

/** Boards are known without asking. */
function addressOf({ kind, id }: RecentItem): string | null {
  if (kind === 'board') return null;
  return `${kind === 'session' ? '/sessions' : '/crm/records'}/${encodeURIComponent(id)}`;
}
