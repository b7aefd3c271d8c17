/** Records as rows of a table: which column is what, and how a value looks in a cell. */

import type { CrmRecord } from '../../../../contract/crm/records.ts';
import type { FieldType } from '../../../../contract/limits.ts';
import { ignoredColumns, recordColumns } from '../../../../contract/shapes/csv.ts';
import { csvLine, decodeCell, defuse, undoDefuse } from '../../../platform/csv/csv.ts';
import type { RawCell } from '../../../platform/csv/read-csv.ts';
import { badRequest } from '../../../platform/http/errors.ts';
import type { FieldDefinition, KanbanDefinition } from '../../kanbans/kanbans.ts';
import type { FieldValue, FieldValues } from '../records.values.ts';

/** Of a file whose first row names the columns. */
export interface CsvColumn {
  index: number;
  /** As the file has it. */
  name: string;
  /** One of a record's own columns or the id of a field; null: the service decides it, and an import ignores it. */
  target: string | null;
}

const ownColumns = new Map(recordColumns.map((column) => [column.toLowerCase(), column]));
const nameWithId = /^.*\(([0-9a-f-]{36})\)$/s;

/** Throws a 400 for a name that is unknown, ambiguous or given twice, and when there is no title. */
export function readHeader(kanban: KanbanDefinition, cells: readonly RawCell[]): CsvColumn[] {
  const columns = cells.map((cell, index) => ({ index, ...readColumn(kanban, cell, index + 1) }));
  const seen = new Map<string, string>();
  for (const { name, target } of columns) {
    const earlier = seen.get(target);
    if (earlier !== undefined) throw badRequest(`the columns ${earlier} and ${name} are the same`);
    seen.set(target, name);
  }
  if (!seen.has('title')) throw badRequest('title is required: the first row must name a column title');
  return columns.map((column) => (isIgnored(column.target) ? { ...column, target: null } : column));
}

const isIgnored = (target: string) => ignoredColumns.some((column) => column === target);

function readColumn(
  kanban: KanbanDefinition,
  cell: RawCell,
  position: number,
): { name: string; target: string } {
  const name = undoDefuse(decodeCell(cell, `the name of column ${position}`)).trim();
  if (!name) throw badRequest(`column ${position} has no name`);
  const own = ownColumns.get(name.toLowerCase());
  return { name, target: own ?? findFieldId(kanban, name) };
}

function findFieldId(kanban: KanbanDefinition, name: string): string {
  if (kanban.fields.has(name)) return name;
  const id = nameWithId.exec(name)?.[1];
  if (id !== undefined && kanban.fields.has(id)) return id;
  const named = [...kanban.fields.values()].filter((field) => sameName(field.name, name));
  if (named.length === 1) return named[0]!.id;
  const shown = name.slice(0, 100);
  if (named.length > 1) {
    throw badRequest(
      `the column ${shown} could be any of ${named.length} fields: use the field's id instead`,
    );
  }
  throw badRequest(
    `the column ${shown} is not known: columns are title, status, channelId, assignedUserIds, labelNames and the fields of the kanban by name or id, separated by commas`,
  );
}

function sameName(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.trim().toLowerCase();
}

/** The header of an export: names, with the id where the name alone would not lead back to the field. */
export function headerLine(kanban: KanbanDefinition | null): string {
  const fields = kanban ? [...kanban.fields.values()].map((field) => labelOf(kanban, field)) : [];
  return csvLine([...recordColumns, ...fields.map(defuse)]);
}

function labelOf(kanban: KanbanDefinition, field: FieldDefinition): string {
  const name = field.name.trim();
  const unclear =
    ownColumns.has(name.toLowerCase()) ||
    kanban.fields.has(name) ||
    kanban.fields.has(nameWithId.exec(name)?.[1] ?? '') ||
    [...kanban.fields.values()].some((other) => other !== field && sameName(other.name, name));
  return unclear ? `${field.name} (${field.id})` : field.name;
}

/** How a file names statuses and users. */
export interface CellNames {
  status(value: string): string;
  user(id: string): string;
  /** Null: it is being deleted. */
  label(id: string): string | null;
}

/** Labels have names in every file: they are unique. */
export const asStored: Omit<CellNames, 'label'> = { status: (value) => value, user: (id) => id };

export function recordLine(kanban: KanbanDefinition, record: CrmRecord, names: CellNames): string {
  const values = record.customFields as FieldValues;
  const people = record.assignedUserIds.map(names.user);
  const labels = record.labelIds.flatMap((id) => names.label(id) ?? []);
  const cells = [
    record.recordId,
    defuse(record.title),
    defuse(names.status(record.status)),
    people.length === 0 ? '' : defuse(writeList(people)),
    record.channelId === null ? '' : defuse(record.channelId),
    new Date(record.createdAt).toISOString(),
    new Date(record.updatedAt).toISOString(),
    labels.length === 0 ? '' : defuse(writeList(labels)),
  ];
  for (const field of kanban.fields.values()) {
    const value = values[field.id];
    cells.push(value === undefined ? '' : cellOf(field.type, value));
  }
  return csvLine(cells);
}

const lengthOfIsoTime = '2000-01-01T00:00:00.000Z'.length;

function cellOf(type: FieldType, value: FieldValue): string {
  if (Array.isArray(value)) return defuse(writeList(value));
  if (type === 'datetime' && typeof value === 'number') {
    // A datetime does not accept years of more than four digits, but accepts their milliseconds.
    const time = new Date(value).toISOString();
    return time.length === lengthOfIsoTime ? time : String(value);
  }
  return typeof value === 'string' ? defuse(value) : String(value);
}

/** Items separated by semicolons; one with a semicolon, a quote or outer white space is quoted. */
function writeList(items: readonly string[]): string {
  return items
    .map((item) => (/[;"]|^\s|\s$/.test(item) ? `"${item.replaceAll('"', '""')}"` : item))
    .join(';');
}

export function readList(text: string): string[] {
  const items: string[] = [];
  for (const [, quoted, plain] of text.matchAll(/\s*(?:"((?:[^"]|"")*)"\s*|([^;]*))(?:;|$)/gy)) {
    if (quoted !== undefined) items.push(quoted.replaceAll('""', '"'));
    else if (plain?.trim()) items.push(plain.trim());
  }
  return items;
}
