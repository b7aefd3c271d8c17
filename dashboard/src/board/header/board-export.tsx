import type { Kanban } from '../../../../contract/crm/kanbans.ts';
import ExportDialog from '../../import/export-dialog.tsx';
import { summaryQuery } from '../data/board-data.ts';
import { type BoardFilters, filterQuery } from '../data/board-look.ts';
import { filterOf } from '../filters/filter-model.ts';
import { nameOfJoin, wordsOfPart } from '../filters/filter-words.ts';
import { useNameOf } from '../filters/use-name-of.ts';

interface BoardExportProps {
  board: Kanban;
  filters: BoardFilters;
  onClose(): void;
}

/** Exports what the board shows now, and says it in words. */
export default function BoardExport({ board, filters, onClose }: BoardExportProps) {
  const { join, parts } = filterOf(board, filters);
  const nameOf = useNameOf();
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
