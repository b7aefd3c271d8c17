/** The keyboard in search results: people, labels and messages are one list with one tab stop. */
import { type KeyboardEvent, type RefObject, useState } from 'react';
import { useShortcut } from '../../app/shortcuts.tsx';
import { t } from '../../texts/texts.ts';

export interface ResultKeys {
  /** Whether Tab leads to this result. */
  isTabStop(id: string): boolean;
  onKeyDown(event: KeyboardEvent): void;
  onFocus(event: { target: EventTarget }): void;
}

export function useResultKeys(list: RefObject<HTMLElement | null>, ids: readonly string[]): ResultKeys {
  const [at, setAt] = useState<string | null>(null);
  const rows = () => [...(list.current?.querySelectorAll<HTMLElement>('[data-result]') ?? [])];
  const focus = (index: number) => {
    const all = rows();
    const row = all[Math.max(0, Math.min(all.length - 1, index))];
    row?.focus();
    row?.scrollIntoView({ block: 'nearest' });
  };
  const move = (by: number) => {
    const now = document.activeElement?.closest<HTMLElement>('[data-result]');
    focus((now ? rows().indexOf(now) : -1) + by);
  };
  useShortcut('j', () => move(1), { label: t('inbox.hits.next'), group: 'list' });
  useShortcut('k', () => move(-1), { label: t('inbox.hits.previous'), group: 'list' });
  const tabStop = at !== null && ids.includes(at) ? at : ids[0];
  return {
    isTabStop: (id) => id === tabStop,
    onFocus: ({ target }) =>
      setAt((target as HTMLElement).closest<HTMLElement>('[data-result]')?.dataset.result ?? null),
    onKeyDown: (event) => {
      // The filters between the results have arrow keys of their own.
      if (!(event.target as Element).closest('[data-result]')) return;
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      if (event.key === 'ArrowDown') move(1);
      else if (event.key === 'ArrowUp') move(-1);
      else if (event.key === 'Home') focus(0);
      else if (event.key === 'End') focus(Number.MAX_SAFE_INTEGER);
      else return;
      event.preventDefault();
    },
  };
}

/** From the search field into the results. */
export function focusFirstResult(): void {
  document.querySelector<HTMLElement>('[data-result]')?.focus();
}
