import type { Kanban } from '../../../../contract/crm/kanbans.ts';
import { useUsers } from '../../data/queries.ts';
import ExportDialog from '../../import/export-dialog.tsx';
import { summaryQuery } from '../data/board-data.ts';
import { type BoardFilters, filterQuery } from '../data/board-look.ts';
import { filterOf } from '../filters/filter-model.ts';
import { nameOfJoin, wordsOfPart } from '../filters/filter-words.ts';

interface BoardExportProps {
  board: Kanban;
  filters: BoardFilters;
  onClose(): void;
}

/** Exports what the board shows now, and says it in words. */
export default function BoardExport({ board, filters, onClose }: BoardExportProps) {
  const users = useUsers();
  const { join, parts } = filterOf(board, filters);
  const nameOf = (id: string) => users.find((user) => user.id === id)?.name ?? null;
  const words = parts.map((part) => wordsOfPart(board, part, nameOf));
  return (
    <ExportDialog
      board={board}
      shown={{ q: filters.q, conditions: words.join(` ${nameOfJoin(join)} `) }}
      query={filterQuery(filters)}
      summary={summaryQuery(board.id, filters, null)}
      onClose={onClose}
    />
  );
}
