/** The left rail: navigation, and the user's menu at the bottom. */
import { useQuery } from '@tanstack/react-query';
import {
  BookOpen,
  ChartNoAxesColumn,
  ChevronsLeft,
  ChevronsRight,
  Compass,
  Inbox,
  Keyboard,
  ListTodo,
  Plus,
  Search,
  Settings,
  Users,
} from 'lucide-react';
import { lazy, Suspense } from 'react';
import { doneCount, firstRunQuery, isUnderWay } from '../data/first-run.ts';
import { useKanbans } from '../data/queries.ts';
import { useRunningImport } from '../data/running-import.ts';
import { useIsAdmin, useMay, useSignedIn } from '../data/session.ts';
import { useUnreadCount } from '../data/unread.ts';
import { Bell } from '../notifications/bell.tsx';
import { t, tn, withTexts } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';
import { IconButton } from '../ui/controls/button.tsx';
import { Count } from '../ui/display/badge.tsx';
import { Kbd } from '../ui/display/kbd.tsx';
import { BoardDot } from './board-dot.tsx';
import { PersonMenu } from './person-menu.tsx';
import { RailButton, RailLink, rowClass } from './rail-links.tsx';

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
  const seesRecords = useMay('records.view');
  const seesConversations = useMay('conversations.view');
  const seesKnowledge = useMay('knowledge.view');
  const seesReports = useMay('reports.view');
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
        {seesConversations && (
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
        )}
        {seesRecords && (
          <RailLink
            folded={folded}
            to="/tasks"
            icon={<ListTodo className="size-4" />}
            label={t('rail.tasks')}
          />
        )}
        {seesConversations && (
          <RailLink
            folded={folded}
            to="/contacts"
            icon={<Users className="size-4" />}
            label={t('rail.contacts')}
          />
        )}
        <Bell folded={folded} look={rowClass(folded)} />
        <Boards folded={folded} onNewBoard={onNewBoard} />
      </div>
      <div className="flex flex-col gap-px border-t border-line p-2">
        <Suspense>{running && <RailImport running={running} folded={folded} />}</Suspense>
        {seesKnowledge && (
          <RailLink
            folded={folded}
            to="/knowledge"
            icon={<BookOpen className="size-4" />}
            label={t('rail.knowledge')}
          />
        )}
        {seesReports && (
          <RailLink
            folded={folded}
            to="/reports"
            icon={<ChartNoAxesColumn className="size-4" />}
            label={t('rail.reports')}
          />
        )}
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

/** People who manage boards without seeing their records get the boards' settings. */
function Boards({ folded, onNewBoard }: Pick<RailProps, 'folded' | 'onNewBoard'>) {
  const mayAddBoards = useMay('boards.manage');
  const seesRecords = useMay('records.view');
  const boards = useKanbans();
  if (!seesRecords && !mayAddBoards) return null;
  return (
    <>
      <div
        className={cx(
          'mt-4 mb-0.5 flex h-6 items-center justify-between',
          folded ? 'justify-center' : 'pr-0.5 pl-2',
        )}
      >
        {!folded && <h2 className="text-sm font-medium text-faint">{t('rail.boards')}</h2>}
        {mayAddBoards && (
          <IconButton size="small" label={t('rail.newBoard')} onClick={onNewBoard}>
            <Plus className="size-3.5" />
          </IconButton>
        )}
      </div>
      {boards.map((board) => (
        <RailLink
          key={board.id}
          folded={folded}
          to={seesRecords ? '/boards/$boardId' : '/boards/$boardId/settings'}
          params={{ boardId: board.slug }}
          icon={<BoardDot id={board.id} />}
          label={board.name}
        />
      ))}
      {boards.length === 0 && !folded && <p className="px-2 text-muted">{t('rail.noBoards')}</p>}
    </>
  );
}

/** Shown until the first steps are done or hidden. */
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
