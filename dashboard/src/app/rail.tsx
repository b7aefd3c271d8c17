/** The left rail: where one can go, and at the bottom who one is. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import {
  ChartNoAxesColumn,
  ChevronsLeft,
  ChevronsRight,
  Compass,
  Inbox,
  Keyboard,
  LogOut,
  Megaphone,
  Monitor,
  Moon,
  Plus,
  Search,
  Settings,
  Sun,
} from 'lucide-react';
import { lazy, type ReactNode, Suspense } from 'react';
import { doneCount, firstRunQuery, isUnderWay } from '../data/first-run.ts';
import { useKanbans } from '../data/queries.ts';
import { useHasNews } from '../data/releases.ts';
import { useRunningImport } from '../data/running-import.ts';
import { signOut, useIsAdmin, useSignedIn } from '../data/session.ts';
import { useUnreadCount } from '../data/unread.ts';
import { Bell } from '../notifications/bell.tsx';
import { isLanguage, languages } from '../texts/languages.ts';
import { t, tn, withTexts } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';
import { IconButton } from '../ui/controls/button.tsx';
import { Avatar } from '../ui/display/avatar.tsx';
import { Count } from '../ui/display/badge.tsx';
import { Kbd } from '../ui/display/kbd.tsx';
import { Menu, MenuItem, MenuLabel, MenuLine } from '../ui/overlays/menu.tsx';
import { Tooltip } from '../ui/overlays/tooltip.tsx';
import { BoardDot } from './board-dot.tsx';
import { chooseLanguage, useLanguage } from './language.ts';
import { chooseTheme, type Theme, useTheme } from './theme.ts';

const RailImport = lazy(withTexts('import', () => import('../import/rail-import.tsx')));

export interface RailProps {
  folded: boolean;
  onFold(folded: boolean): void;
  onSearch(): void;
  onHelp(): void;
  onNewBoard(): void;
}

export function Rail({ folded, onFold, onSearch, onHelp, onNewBoard }: RailProps) {
  const { account } = useSignedIn();
  const isAdmin = useIsAdmin();
  const boards = useKanbans();
  const unread = useUnreadCount();
  const running = useRunningImport();
  return (
    <nav
      aria-label={t('rail.label')}
      data-rail={folded ? 'folded' : 'open'}
      className={cx('flex h-full flex-col border-r border-line bg-canvas', folded ? 'w-14' : 'w-[220px]')}
    >
      <div className={cx('flex h-12 shrink-0 items-center gap-1', folded ? 'justify-center' : 'pr-2 pl-4')}>
        {!folded && (
          <>
            <img src="/app/favicon.svg" alt="" className="size-5" />
            <span title={account.name} className="ml-1.5 min-w-0 flex-1 truncate font-semibold">
              {account.name}
            </span>
          </>
        )}
        <IconButton
          size="small"
          className="max-md:hidden"
          label={folded ? t('rail.expand') : t('rail.collapse')}
          onClick={() => onFold(!folded)}
        >
          {folded ? <ChevronsRight className="size-4" /> : <ChevronsLeft className="size-4" />}
        </IconButton>
      </div>
      <div className="flex min-h-0 flex-1 flex-col gap-px overflow-y-auto px-2 pb-2">
        <RailButton
          folded={folded}
          icon={<Search className="size-4" />}
          label={t('rail.search')}
          onClick={onSearch}
          end={<Kbd keys="mod+k" />}
        />
        <StartLink folded={folded} />
        <RailLink
          folded={folded}
          to="/inbox"
          icon={<Inbox className="size-4" />}
          label={t('rail.inbox')}
          end={
            unread > 0 && (
              <span
                title={tn('rail.unread', unread)}
                className="tabular rounded-full bg-accent px-1.5 text-xs leading-4 font-semibold text-on-accent"
              >
                {unread > 99 ? '99+' : unread}
              </span>
            )
          }
        />
        <Bell folded={folded} look={rowLook(folded)} />
        <div
          className={cx(
            'mt-4 mb-0.5 flex h-6 items-center justify-between',
            folded ? 'justify-center' : 'pr-0.5 pl-2',
          )}
        >
          {!folded && <h2 className="text-sm font-medium text-faint">{t('rail.boards')}</h2>}
          {isAdmin && (
            <IconButton size="small" label={t('rail.newBoard')} onClick={onNewBoard}>
              <Plus className="size-3.5" />
            </IconButton>
          )}
        </div>
        {boards.map((board) => (
          <RailLink
            key={board.id}
            folded={folded}
            to="/boards/$boardId"
            params={{ boardId: board.slug }}
            icon={<BoardDot id={board.id} />}
            label={board.name}
          />
        ))}
        {boards.length === 0 && !folded && <p className="px-2 text-muted">{t('rail.noBoards')}</p>}
      </div>
      <div className="flex flex-col gap-px border-t border-line p-2">
        <Suspense>{running && <RailImport running={running} folded={folded} />}</Suspense>
        <RailLink
          folded={folded}
          to="/reports"
          icon={<ChartNoAxesColumn className="size-4" />}
          label={t('rail.reports')}
        />
        <RailLink
          folded={folded}
          to="/settings"
          icon={<Settings className="size-4" />}
          label={t('rail.settings')}
        />
        <RailButton
          folded={folded}
          icon={<Keyboard className="size-4" />}
          label={t('rail.help')}
          onClick={onHelp}
          end={<Kbd keys="?" />}
        />
        <PersonMenu folded={folded} />
      </div>
    </nav>
  );
}

/** Until the first steps are done or put away. */
function StartLink({ folded }: { folded: boolean }) {
  const { data: first } = useQuery({ ...firstRunQuery, enabled: useIsAdmin() });
  if (!first || !isUnderWay(first)) return null;
  return (
    <RailLink
      folded={folded}
      to="/start"
      icon={<Compass className="size-4" />}
      label={t('rail.start')}
      end={<Count>{`${doneCount(first)}/${first.steps.length}`}</Count>}
    />
  );
}

const rowLook = (folded: boolean) =>
  cx(
    'flex h-7 items-center rounded-control text-muted transition-colors hover:bg-hover hover:text-ink',
    folded ? 'justify-center' : 'gap-2 px-2',
  );

function RailLink({
  folded,
  icon,
  label,
  end,
  to,
  params,
}: {
  folded: boolean;
  icon: ReactNode;
  label: string;
  end?: ReactNode;
  to: string;
  params?: object;
}) {
  const link = (
    <Link
      to={to}
      params={params as never}
      className={rowLook(folded)}
      activeProps={{ className: 'bg-pressed font-medium text-ink!' }}
    >
      <span className="flex size-4 shrink-0 items-center justify-center">{icon}</span>
      <span className={folded ? 'sr-only' : 'min-w-0 flex-1 truncate'}>{label}</span>
      {!folded && end}
    </Link>
  );
  return folded ? (
    <Tooltip text={label} side="right">
      {link}
    </Tooltip>
  ) : (
    link
  );
}

function RailButton({
  folded,
  icon,
  label,
  onClick,
  end,
}: {
  folded: boolean;
  icon: ReactNode;
  label: string;
  onClick(): void;
  end?: ReactNode;
}) {
  const button = (
    <button
      type="button"
      onClick={onClick}
      aria-label={folded ? label : undefined}
      className={rowLook(folded)}
    >
      <span className="flex size-4 shrink-0 items-center justify-center">{icon}</span>
      {!folded && <span className="min-w-0 flex-1 truncate text-left">{label}</span>}
      {!folded && end}
    </button>
  );
  return folded ? (
    <Tooltip text={label} side="right">
      {button}
    </Tooltip>
  ) : (
    button
  );
}

const themes: { value: Theme; label: () => string; icon: ReactNode }[] = [
  { value: 'light', label: () => t('theme.light'), icon: <Sun className="size-4" /> },
  { value: 'dark', label: () => t('theme.dark'), icon: <Moon className="size-4" /> },
  { value: 'system', label: () => t('theme.system'), icon: <Monitor className="size-4" /> },
];

/** Something in the newest release has not been read about yet. */
const NewsDot = ({ className }: { className?: string }) => (
  <span aria-hidden className={cx('size-2 rounded-full bg-accent', className)} />
);

function PersonMenu({ folded }: { folded: boolean }) {
  const { user } = useSignedIn();
  const theme = useTheme();
  const language = useLanguage();
  const hasNews = useHasNews();
  const navigate = useNavigate();
  return (
    <Menu
      side="top"
      trigger={
        <button type="button" className={cx(rowLook(folded), 'mt-1 h-8')}>
          <span aria-hidden className="relative flex">
            <Avatar id={user.id} name={user.name} tip={false} />
            {hasNews && <NewsDot className="absolute -top-0.5 -right-0.5 ring-2 ring-canvas" />}
          </span>
          {!folded && <span className="min-w-0 flex-1 truncate text-left text-ink">{user.name}</span>}
          <span className="sr-only">
            {t('rail.account')} {hasNews && t('news.unread')}
          </span>
        </button>
      }
    >
      <MenuLabel>{user.email}</MenuLabel>
      <MenuLine />
      {themes.map(({ value, label, icon }) => (
        <MenuItem key={value} icon={icon} checked={theme === value} stay onSelect={() => chooseTheme(value)}>
          {label()}
        </MenuItem>
      ))}
      <MenuLine />
      {Object.entries(languages).map(([value, name]) => (
        <MenuItem
          key={value}
          icon={
            <span aria-hidden className="text-xs font-semibold uppercase">
              {value}
            </span>
          }
          checked={language === value}
          onSelect={() => isLanguage(value) && void chooseLanguage(value)}
        >
          {name}
        </MenuItem>
      ))}
      <MenuLine />
      <MenuItem icon={<Megaphone className="size-4" />} onSelect={() => void navigate({ to: '/whats-new' })}>
        <span className="flex items-center justify-between gap-2">
          {t('news.title')}
          {hasNews && (
            <>
              <NewsDot />
              <span className="sr-only">{t('news.unread')}</span>
            </>
          )}
        </span>
      </MenuItem>
      <MenuItem icon={<LogOut className="size-4" />} onSelect={() => void signOut()}>
        {t('rail.signOut')}
      </MenuItem>
    </Menu>
  );
}
