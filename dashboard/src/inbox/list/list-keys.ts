/**
 * The keyboard in the list of conversations. The list is one tab stop: Tab leads to the row that had the focus last, j, k
 * and the arrows move from row to row. A row is a link, so Enter opens it.
 */
import { useNavigate } from '@tanstack/react-router';
import { type FocusEvent, type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react';
import { useShortcut } from '../../app/shortcuts.tsx';
import { t } from '../../texts/texts.ts';

interface ListKeys {
  /** The one row that Tab leads to. */
  tabStop: string | undefined;
  pinned: number;
  /** Scrolled to. */
  active: number | undefined;
  onRowFocus(event: FocusEvent<HTMLElement>): void;
  onRowKeyDown(event: KeyboardEvent<HTMLElement>): void;
}

export function useListKeys(ids: string[], openId: string | null): ListKeys {
  const navigate = useNavigate();
  const [at, setAt] = useState<string | null>(null);
  const goTo = (index: number) => {
    const next = ids[Math.max(0, Math.min(ids.length - 1, index))];
    if (!next) return;
    setAt(next);
    focusRow(next);
  };
  const move = (by: number) => {
    const focused = (document.activeElement as HTMLElement | null)?.dataset.session ?? at ?? openId;
    goTo((focused === null ? -1 : ids.indexOf(focused)) + by);
  };
  const open = (by: number) => {
    const next = ids[(openId === null ? -1 : ids.indexOf(openId)) + by];
    if (next) void navigate({ to: '/inbox/$sessionId', params: { sessionId: next } });
  };
  useShortcut('j', () => move(1), { label: t('inbox.keys.next'), group: 'list' });
  useShortcut('k', () => move(-1), { label: t('inbox.keys.previous'), group: 'list' });
  useShortcut('alt+arrowdown', () => open(1), {
    label: t('inbox.keys.next'),
    group: 'inbox',
    whileTyping: true,
  });
  useShortcut('alt+arrowup', () => open(-1), {
    label: t('inbox.keys.previous'),
    group: 'inbox',
    whileTyping: true,
  });
  useEffect(() => {
    if (openId !== null) setAt(openId);
  }, [openId]);

  // The rows are memoized, so their handlers stay the same and read what is current.
  const onKey = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'Home') goTo(0);
    else if (event.key === 'End') goTo(ids.length - 1);
    else return;
    event.preventDefault();
  };
  const latest = useRef(onKey);
  latest.current = onKey;
  const onRowKeyDown = useCallback((event: KeyboardEvent<HTMLElement>) => latest.current(event), []);
  const onRowFocus = useCallback(
    (event: FocusEvent<HTMLElement>) => setAt(event.currentTarget.dataset.session ?? null),
    [],
  );

  const index = at === null ? -1 : ids.indexOf(at);
  // Scrolls only on selection: a new message that moves rows must not scroll the list.
  const [revealed, setRevealed] = useState<{ at: string | null; index: number | undefined }>({
    at: null,
    index: undefined,
  });
  if (revealed.at !== at && index >= 0) setRevealed({ at, index });
  const pinned = Math.max(0, index);
  return { tabStop: ids[pinned], pinned, active: revealed.index, onRowFocus, onRowKeyDown };
}

/** As soon as the row is in the document. */
export function focusRow(sessionId: string, tries = 12): void {
  requestAnimationFrame(() => {
    const row = document.querySelector<HTMLElement>(`[data-session="${CSS.escape(sessionId)}"]`);
    if (row) row.focus({ preventScroll: true });
    else if (tries > 0) focusRow(sessionId, tries - 1);
  });
}
