/** Ctrl-K: find a record, go somewhere, do something. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { ChartNoAxesColumn, FileText, Inbox, Keyboard, LogOut, Moon, Plus, Settings } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { type KeyboardEvent, type ReactNode, useDeferredValue, useRef, useState } from 'react';
import type { SearchAnswer } from '../../../contract/search.ts';
import { api } from '../data/api.ts';
import { useKanbans } from '../data/queries.ts';
import { signOut, useIsAdmin } from '../data/session.ts';
import { t } from '../texts/texts.ts';
import { Dot } from '../ui/badge.tsx';
import { cx } from '../ui/class-names.ts';
import { boardColor } from './rail.tsx';
import { chooseTheme, isDark } from './theme.ts';

interface Entry {
  id: string;
  group: string;
  icon: ReactNode;
  label: string;
  detail?: string;
  run(): void;
}

export default function Commands({
  open,
  onOpenChange,
  onHelp,
  onNewBoard,
}: {
  open: boolean;
  onOpenChange(open: boolean): void;
  onHelp(): void;
  onNewBoard(): void;
}) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const entries = useEntries(text, onHelp, onNewBoard);
  const move = (to: number) => {
    const next = (to + entries.length) % Math.max(1, entries.length);
    setAt(next);
    list.current?.querySelector(`[data-index="${next}"]`)?.scrollIntoView({ block: 'nearest' });
  };
  const run = (entry: Entry | undefined) => {
    if (!entry) return;
    onOpenChange(false);
    entry.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') move(at + 1);
    else if (event.key === 'ArrowUp') move(at - 1);
    else if (event.key === 'Enter') run(entries[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className="fade-in fixed inset-0 z-40 bg-scrim" />
        <Dialog.Content
          aria-describedby={undefined}
          className="rise-in fixed inset-x-0 top-[14vh] z-40 mx-auto flex max-h-[60vh] w-[calc(100vw-32px)] max-w-xl flex-col overflow-hidden rounded-panel bg-raised shadow-float outline-none"
        >
          <Dialog.Title className="sr-only">{t('commands.label')}</Dialog.Title>
          <input
            role="combobox"
            aria-expanded
            aria-controls="commands-list"
            aria-activedescendant={entries[at] ? `command-${at}` : undefined}
            aria-label={t('commands.label')}
            placeholder={t('commands.placeholder')}
            value={text}
            data-quiet-focus=""
            onChange={(event) => {
              setText(event.target.value);
              setAt(0);
            }}
            onKeyDown={onKeyDown}
            className="h-12 shrink-0 border-b border-line bg-transparent px-4 text-md outline-none"
          />
          <div
            ref={list}
            id="commands-list"
            role="listbox"
            aria-label={t('commands.label')}
            className="min-h-0 overflow-y-auto p-1.5"
          >
            {entries.map((entry, index) => (
              <div key={entry.id}>
                {entry.group !== entries[index - 1]?.group && (
                  <div aria-hidden className="px-2 pt-2 pb-1 text-sm font-medium text-faint">
                    {entry.group}
                  </div>
                )}
                {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled by the combobox that owns this list */}
                <div
                  id={`command-${index}`}
                  data-index={index}
                  role="option"
                  tabIndex={-1}
                  aria-selected={index === at}
                  onClick={() => run(entry)}
                  onPointerMove={() => setAt(index)}
                  className={cx(
                    'flex h-8 items-center gap-2.5 rounded-control px-2',
                    index === at && 'bg-hover',
                  )}
                >
                  <span className="flex size-4 items-center justify-center text-muted">{entry.icon}</span>
                  <span className="min-w-0 flex-1 truncate">{entry.label}</span>
                  {entry.detail && (
                    <span className="max-w-40 truncate text-sm text-faint">{entry.detail}</span>
                  )}
                </div>
              </div>
            ))}
            {entries.length === 0 && (
              <p className="px-2 py-6 text-center text-muted">{t('commands.empty', { text })}</p>
            )}
          </div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function useEntries(text: string, onHelp: () => void, onNewBoard: () => void): Entry[] {
  const navigate = useNavigate();
  const boards = useKanbans();
  const isAdmin = useIsAdmin();
  const q = useDeferredValue(text.trim());
  const { data: found } = useQuery({
    queryKey: ['commands', q],
    queryFn: ({ signal }) => api<SearchAnswer>('GET', '/crm/search', { query: { q, pageSize: 8 }, signal }),
    enabled: q.length > 1,
    placeholderData: (before) => before,
  });
  const matches = (label: string) => label.toLocaleLowerCase().includes(text.trim().toLocaleLowerCase());
  const go = t('commands.go');
  const actions = t('commands.actions');
  const fixed: Entry[] = [
    {
      id: 'inbox',
      group: go,
      icon: <Inbox className="size-4" />,
      label: t('rail.inbox'),
      run: () => void navigate({ to: '/inbox' }),
    },
    {
      id: 'reports',
      group: go,
      icon: <ChartNoAxesColumn className="size-4" />,
      label: t('rail.reports'),
      run: () => void navigate({ to: '/reports' }),
    },
    {
      id: 'settings',
      group: go,
      icon: <Settings className="size-4" />,
      label: t('rail.settings'),
      run: () => void navigate({ to: '/settings' }),
    },
    ...(isAdmin
      ? [
          {
            id: 'new-board',
            group: actions,
            icon: <Plus className="size-4" />,
            label: t('rail.newBoard'),
            run: onNewBoard,
          },
        ]
      : []),
    {
      id: 'theme',
      group: actions,
      icon: <Moon className="size-4" />,
      label: t('shortcuts.theme'),
      run: () => chooseTheme(isDark() ? 'light' : 'dark'),
    },
    { id: 'help', group: actions, icon: <Keyboard className="size-4" />, label: t('rail.help'), run: onHelp },
    {
      id: 'sign-out',
      group: actions,
      icon: <LogOut className="size-4" />,
      label: t('rail.signOut'),
      run: () => void signOut(),
    },
  ];
  const records: Entry[] = (q.length > 1 ? (found?.items ?? []) : []).map((record) => {
    const board = boards.find(({ id }) => id === record.kanbanId);
    return {
      id: record.recordId,
      group: t('commands.records'),
      icon: <FileText className="size-4" />,
      label: record.title,
      detail: board?.name,
      run: () =>
        void navigate({
          to: '/boards/$boardId/records/$recordId',
          params: { boardId: board?.slug ?? record.kanbanId, recordId: record.recordId },
        }),
    };
  });
  const places: Entry[] = boards.map((board) => ({
    id: board.id,
    group: t('commands.boards'),
    icon: <Dot color={boardColor(board.id)} className="size-2.5 rounded-[3px]" />,
    label: board.name,
    run: () => void navigate({ to: '/boards/$boardId', params: { boardId: board.slug } }),
  }));
  return [
    ...records,
    ...places.filter((one) => matches(one.label)),
    ...fixed.filter((one) => matches(one.label)),
  ];
}
