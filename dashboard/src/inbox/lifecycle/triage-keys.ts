/** The keys of the lifecycle: for the selected conversations, else the row with the focus, else the open conversation. */
import { useShortcut } from '../../app/shortcuts.tsx';
import { useMay } from '../../data/session.ts';
import { findThing } from '../../data/store/entities.ts';
import { macroRequest } from '../../macros/macro-request.ts';
import { t } from '../../texts/texts.ts';
import { selection, useHasRows, useSelectedCount } from './selection.ts';
import { labelling, snoozing } from './session-requests.ts';
import { type DoTriage, focusedRow } from './use-triage.ts';

export function useTriageKeys(openId: string | null, isSearching: boolean, act: DoTriage): void {
  const mayChange = useMay('conversations.reply');
  const hasRows = useHasRows();
  const count = useSelectedCount();
  const here = () => focusedRow() ?? openId;
  const targets = () => {
    if (!selection.isEmpty()) return selection.all();
    const id = here();
    return id === null ? [] : [findThing('session', id) ?? []].flat();
  };
  const enabled = mayChange && (hasRows || isSearching || openId !== null);
  const group = 'inbox';
  const change = { group, enabled, isChange: true } as const;
  useShortcut('e', () => act('resolve', targets()), { label: t('lifecycle.resolve'), ...change });
  useShortcut('h', () => snoozing.begin(targets()), { label: t('lifecycle.snooze'), group, enabled });
  useShortcut('l', () => labelling.begin(targets()), { label: t('lifecycle.label'), group, enabled });
  useShortcut('m', () => macroRequest.begin(targets()), { label: t('lifecycle.macro'), group, enabled });
  useShortcut('u', () => act('reopen', targets()), { label: t('lifecycle.reopen'), ...change });
  useShortcut(
    'x',
    () => {
      const id = here();
      if (id !== null) selection.toggle(id);
    },
    { label: t('lifecycle.select'), group: 'list', enabled },
  );
  useShortcut('shift+x', selection.addAll, {
    label: t('lifecycle.selectAll'),
    group: 'list',
    enabled: mayChange && hasRows,
  });
  useShortcut('shift+r', () => act('read', selection.all()), {
    label: t('lifecycle.read'),
    group: 'list',
    isChange: true,
    enabled: count > 0,
  });
  useShortcut('escape', selection.clear, {
    label: t('lifecycle.clearSelection'),
    group: 'list',
    enabled: count > 0,
  });
}
