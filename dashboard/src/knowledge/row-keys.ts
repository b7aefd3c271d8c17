/** j and k move through the rows of the view; Enter opens the one with the focus, as every link. */
import { useShortcut } from '../app/shortcuts.tsx';
import { t } from '../texts/texts.ts';

function move(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-knowledge-row]')];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  rows[at < 0 ? 0 : Math.max(0, Math.min(rows.length - 1, at + by))]?.focus();
}

export function useRowKeys(): void {
  useShortcut('j', () => move(1), { label: t('knowledge.keys.next'), group: 'list' });
  useShortcut('k', () => move(-1), { label: t('knowledge.keys.previous'), group: 'list' });
}
