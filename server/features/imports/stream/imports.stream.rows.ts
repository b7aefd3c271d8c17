/** Rows of a file that is made for the API: columns by name, values as an export writes them, checked by the rules of a create. */
import { RecordCreate } from '../../../../contract/crm/records.ts';
import type { CsvRow } from '../../../platform/csv/read-csv.ts';
import { AppError, badRequest } from '../../../platform/http/errors.ts';
import { checkObject } from '../../../platform/http/validation.ts';
import type { KanbanDefinition } from '../../kanbans/kanbans.ts';
import { type CsvColumn, readList } from '../../records/records.ts';
import { type RowReader, readLabelNames, readRow } from '../rows/imports.rows.ts';
import { exactSpelling, readFieldValue } from '../rows/imports.values.ts';

const reader: RowReader<CsvColumn> = {
  nameOf: ({ name }) => name,
  readOwn(_kanban, target, text) {
    if (target === 'assignedUserIds') return readList(text);
    if (target === 'labelNames') return readLabelNames(text, 'labelNames ');
    return target !== 'title' && text === '' ? undefined : text;
  },
  readField({ fields }, fieldId, _column, text) {
    const field = fields.get(fieldId);
    // A field that was deleted meanwhile is rejected by its id.
    return field ? readFieldValue(field, exactSpelling, text) : text;
  },
};

/** What a create would take, or why it is rejected. */
export function readStreamedRow(
  kanban: KanbanDefinition,
  columns: readonly CsvColumn[],
  row: CsvRow,
): RecordCreate | AppError {
  if (row.problem) return row.problem;
  if (row.cells.length !== columns.length) {
    return badRequest(
      `the row must have ${columns.length} cells, as the first row has, not ${row.cells.length}`,
    );
  }
  const imported = columns.filter(({ target }) => target !== null);
  const { input, cells } = readRow(kanban, imported, reader, row);
  const wrong = cells.find(({ error }) => error !== null);
  if (wrong) return badRequest(wrong.error!);
  try {
    return checkObject(RecordCreate, input);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error;
  }
}
