/** Actions for the whole board. */
import { useNavigate } from '@tanstack/react-router';
import { Download, MoreHorizontal, Settings, Upload } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { Kanban } from '../../../../contract/crm/kanbans.ts';
import { useUsers } from '../../data/queries.ts';
import { useIsAdmin } from '../../data/session.ts';
import { t, withTexts } from '../../texts/texts.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/overlays/menu.tsx';
import { summaryQuery } from '../data/board-data.ts';
import { type BoardFilters, filterQuery } from '../data/board-look.ts';
import { readFilter } from '../filters/filter-model.ts';
import { nameOfJoin, wordsOfPart } from '../filters/filter-words.ts';

const ExportDialog = lazy(withTexts('import', () => import('../../import/export-dialog.tsx')));

export function BoardMenu({ board, filters }: { board: Kanban; filters: BoardFilters }) {
  const navigate = useNavigate();
  const isAdmin = useIsAdmin();
  const [exporting, setExporting] = useState(false);
  const users = useUsers();
  const params = { boardId: board.slug };
  const shown = () => {
    const { join, parts } = readFilter(board, filters.filter && JSON.parse(filters.filter));
    const nameOf = (id: string) => users.find((user) => user.id === id)?.name ?? null;
    const words = parts.map((part) => wordsOfPart(board, part, nameOf));
    return { q: filters.q, conditions: words.join(` ${nameOfJoin(join)} `) };
  };
  return (
    <>
      <Menu
        align="end"
        trigger={
          <IconButton label={t('board.menu')}>
            <MoreHorizontal className="size-4" />
          </IconButton>
        }
      >
        <MenuItem
          icon={<Upload className="size-3.5" />}
          onSelect={() => void navigate({ to: '/boards/$boardId/import', params })}
        >
          {t('board.import')}
        </MenuItem>
        <MenuItem icon={<Download className="size-3.5" />} onSelect={() => setExporting(true)}>
          {t('board.export')}
        </MenuItem>
        {isAdmin && (
          <>
            <MenuLine />
            <MenuItem
              icon={<Settings className="size-3.5" />}
              onSelect={() => void navigate({ to: '/boards/$boardId/settings', params })}
            >
              {t('board.settings')}
            </MenuItem>
          </>
        )}
      </Menu>
      <Suspense>
        {exporting && (
          <ExportDialog
            board={board}
            shown={shown()}
            query={filterQuery(filters)}
            summary={summaryQuery(board.id, filters, null)}
            onClose={() => setExporting(false)}
          />
        )}
      </Suspense>
    </>
  );
}
