/** Entries that need no request: pages, boards, settings, and the actions of the current page. */
import { useNavigate, useRouter } from '@tanstack/react-router';
import {
  BarChart3,
  BookOpen,
  CircleCheck,
  Compass,
  CornerDownRight,
  FileUp,
  Inbox,
  Keyboard,
  Languages,
  ListTodo,
  LogOut,
  Megaphone,
  Monitor,
  Moon,
  Plus,
  Settings,
  SquarePen,
  Sun,
  Users,
} from 'lucide-react';
import type { Permission } from '../../../contract/roles/permissions.ts';
import { chooseAvailability } from '../app/availability.ts';
import { BoardDot } from '../app/board-dot.tsx';
import { chooseLanguage } from '../app/language.ts';
import { recall } from '../app/remembered.ts';
import { runWhenListed, type Shortcut, useShortcuts } from '../app/shortcuts.tsx';
import { sendAndSignOut } from '../app/sign-out.ts';
import { chooseTheme } from '../app/theme.ts';
import { useKanbans } from '../data/queries.ts';
import { useIsAdmin, useSignedIn } from '../data/session.ts';
import { groupsFor } from '../settings/settings-sections.tsx';
import { type Language, languages } from '../texts/languages.ts';
import { language, t } from '../texts/texts.ts';
import { neededBy, type PaletteEntry } from './palette-entry.ts';
import { useMacroEntries } from './palette-macros.tsx';

const icon = 'size-4';

export interface PaletteActions {
  onHelp(): void;
  onNewBoard(): void;
}

export function useFixedEntries({ onHelp, onNewBoard }: PaletteActions): PaletteEntry[] {
  const navigate = useNavigate();
  const { routesByPath } = useRouter();
  const signedIn = useSignedIn();
  const isAdmin = useIsAdmin();
  const may = (permission: Permission) => signedIn.user.permissions.includes(permission);
  const isAway = signedIn.user.availability === 'away';
  const boards = useKanbans();
  const here = useShortcuts();
  const page = pageEntries(here);
  const macros = useMacroEntries();
  const keysOf = (keys: string) => (here.some((one) => one.keys === keys) ? keys : undefined);
  const board = boards.find(({ slug }) => slug === recall('last-board', '')) ?? boards[0];
  const go = (id: string, to: string, label: string, mark: PaletteEntry['icon'], keys?: string) =>
    to in routesByPath && (!(id in neededBy) || may(neededBy[id]!))
      ? [{ id, group: 'go' as const, icon: mark, label, keys, run: () => void navigate({ to: to as never }) }]
      : [];
  const theme = (value: 'light' | 'dark' | 'system', label: string, mark: PaletteEntry['icon']) => ({
    id: `theme-${value}`,
    group: 'actions' as const,
    icon: mark,
    label: t('palette.theme', { theme: label }),
    words: t('palette.words.theme'),
    run: () => chooseTheme(value),
  });
  return [
    ...page,
    ...macros,
    ...(may('records.view') ? boards : []).map((one) => ({
      id: `board ${one.id}`,
      group: 'boards' as const,
      icon: <BoardDot id={one.id} />,
      label: one.name,
      run: () => void navigate({ to: '/boards/$boardId', params: { boardId: one.slug } }),
    })),
    ...go('inbox', '/inbox', t('rail.inbox'), <Inbox className={icon} />, keysOf('g i')),
    ...go('tasks', '/tasks', t('rail.tasks'), <ListTodo className={icon} />, keysOf('g t')),
    ...go('contacts', '/contacts', t('rail.contacts'), <Users className={icon} />, keysOf('g c')),
    ...go('knowledge', '/knowledge', t('rail.knowledge'), <BookOpen className={icon} />),
    ...go('reports', '/reports', t('rail.reports'), <BarChart3 className={icon} />, keysOf('g r')),
    ...go('whats-new', '/whats-new', t('news.title'), <Megaphone className={icon} />),
    ...(isAdmin
      ? go('start', '/start', t('rail.start'), <Compass className={icon} />).map((entry) => ({
          ...entry,
          words: t('palette.words.start'),
        }))
      : []),
    ...(may('records.import') ? boards : []).map((one) => ({
      id: `import ${one.id}`,
      group: 'actions' as const,
      icon: <FileUp className={icon} />,
      label: t('palette.import', { board: one.name }),
      words: 'CSV Excel',
      run: () => void navigate({ to: '/boards/$boardId/import', params: { boardId: one.slug } }),
    })),
    ...go('settings', '/settings', t('rail.settings'), <Settings className={icon} />, keysOf('g s')),
    ...groupsFor(signedIn).flatMap((group) =>
      group.sections.map((section) => ({
        id: `settings ${section.id}`,
        group: 'settings' as const,
        icon: section.icon,
        label: section.label(),
        words: `${t('rail.settings')} ${group.label()}`,
        run: () => void navigate({ to: '/settings/$section', params: { section: section.id } }),
      })),
    ),
    ...boards
      .filter(() => may('boards.manage') || may('fields.manage'))
      .map((one) => ({
        id: `board-settings ${one.id}`,
        group: 'settings' as const,
        icon: <Settings className={icon} />,
        label: t('palette.boardSettings', { board: one.name }),
        run: () => void navigate({ to: '/boards/$boardId/settings', params: { boardId: one.slug } }),
      })),
    ...(board && may('records.edit') && !here.some(({ keys, group }) => keys === 'c' && group === 'board')
      ? [
          {
            id: 'new-record',
            group: 'actions' as const,
            icon: <SquarePen className={icon} />,
            label: t('palette.newRecord', { board: board.name }),
            words: t('palette.words.new'),
            run: () => {
              void navigate({ to: '/boards/$boardId', params: { boardId: board.slug } });
              runWhenListed('c', 'board');
            },
          },
        ]
      : []),
    ...(may('boards.manage')
      ? [
          {
            id: 'new-board',
            group: 'actions' as const,
            icon: <Plus className={icon} />,
            label: t('rail.newBoard'),
            words: t('palette.words.new'),
            run: onNewBoard,
          },
        ]
      : []),
    {
      id: 'availability',
      group: 'actions' as const,
      icon: <CircleCheck className={icon} />,
      label: isAway ? t('palette.available') : t('palette.away'),
      words: t('availability.available'),
      run: () => void chooseAvailability(isAway ? 'available' : 'away'),
    },
    theme('light', t('theme.light'), <Sun className={icon} />),
    theme('dark', t('theme.dark'), <Moon className={icon} />),
    theme('system', t('theme.system'), <Monitor className={icon} />),
    ...(Object.keys(languages) as Language[])
      .filter((one) => one !== language())
      .map((one) => ({
        id: `language-${one}`,
        group: 'actions' as const,
        icon: <Languages className={icon} />,
        label: t('palette.language', { language: languages[one] }),
        words: t('palette.words.language'),
        run: () => void chooseLanguage(one),
      })),
    {
      id: 'help',
      group: 'actions',
      icon: <Keyboard className={icon} />,
      label: t('rail.help'),
      keys: '?',
      run: onHelp,
    },
    {
      id: 'sign-out',
      group: 'actions',
      icon: <LogOut className={icon} />,
      label: t('rail.signOut'),
      words: t('palette.words.signOut'),
      run: () => void sendAndSignOut(),
    },
  ];
}

/** Every shortcut of the current view is an action: taking over, a new card, a note. */
function pageEntries(shortcuts: readonly Shortcut[]): PaletteEntry[] {
  const usable = shortcuts.filter(
    ({ group, keys, isListedOnly }) =>
      (group === 'board' || group === 'inbox') && !isListedOnly && !/escape|arrow/.test(keys),
  );
  return [...new Map(usable.map((one) => [one.keys, one])).values()].map((one) => ({
    id: `key ${one.keys}`,
    group: 'page',
    icon: <CornerDownRight className={icon} />,
    label: one.label,
    keys: one.keys,
    run: () => one.run(new KeyboardEvent('keydown', { key: one.keys })),
  }));
}
