/** Actions for the whole board. */
import { useNavigate } from '@tanstack/react-router';
import { Download, MoreHorizontal, Settings, Upload } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { Kanban } from '../../../../contract/crm/kanbans.ts';
import { useMay } from '../../data/session.ts';
import { t, withTexts } from '../../texts/texts.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/overlays/menu.tsx';
import type { BoardFilters } from '../data/board-look.ts';

const BoardExport = lazy(withTexts('import', () => import('./board-export.tsx')));

export function BoardMenu({ board, filters }: { board: Kanban; filters: BoardFilters }) {
  const navigate = useNavigate();
  const mayManageBoards = useMay('boards.manage');
  const mayManageFields = useMay('fields.manage');
  const mayImport = useMay('records.import');
  const mayExport = useMay('records.export');
  const maySet = mayManageBoards || mayManageFields;
  const [exporting, setExporting] = useState(false);
  const params = { boardId: board.slug };
  if (!maySet && !mayImport && !mayExport) return null;
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
        {mayImport && (
          <MenuItem
            icon={<Upload className="size-3.5" />}
            onSelect={() => void navigate({ to: '/boards/$boardId/import', params })}
          >
            {t('board.import')}
          </MenuItem>
        )}
        {mayExport && (
          <MenuItem icon={<Download className="size-3.5" />} onSelect={() => setExporting(true)}>
            {t('board.export')}
          </MenuItem>
        )}
        {maySet && (
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
        {exporting && <BoardExport board={board} filters={filters} onClose={() => setExporting(false)} />}
      </Suspense>
    </>
  );
}
