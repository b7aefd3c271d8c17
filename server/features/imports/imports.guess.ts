/** Guesses the target of each column: by its name, by a synonym, and finally by its values. */
import {
  type ImportColumn,
  type ImportDuplicates,
  type ImportLook,
  importResultColumns,
} from '../../../contract/crm/imports.ts';
import type { FieldType } from '../../../contract/limits.ts';
import type { FieldDefinition, KanbanDefinition } from '../kanbans/kanbans.ts';
import { guessDateForm, guessNumberForm, looksOf } from './imports.column-types.ts';
import type { Inspection } from './imports.inspect.ts';
import {
  assigneeWords,
  channelWords,
  emailGroup,
  fold,
  phoneGroup,
  statusWords,
  titleWords,
  wordGroup,
} from './imports.synonyms.ts';

const samplesShown = 5;
const sampleLength = 100;

export function guessColumns(
  kanban: KanbanDefinition,
  { format, names, sample }: Pick<Inspection, 'format' | 'names' | 'sample'>,
  timeZone: string,
): ImportColumn[] {
  const firstResult = format.headerRow ? firstResultColumn(names) : names.length;
  const columns = names.map((name, index): ImportColumn => {
    const values = sample.map((cells) => cells[index] ?? '');
    const filled = [...new Set(values.map((value) => value.trim()))].filter((value) => value !== '');
    return {
      index,
      name,
      samples: filled.slice(0, samplesShown).map((value) => value.slice(0, sampleLength).toWellFormed()),
      looksLike: looksOf(values),
      target: null,
      guessedBy: null,
      isResult: index >= firstResult,
      dateForm: guessDateForm(values, timeZone),
      numberForm: guessNumberForm(values, format.separator),
    };
  });
  new Guesser(
    kanban,
    columns.filter((column) => !column.isResult),
    sample,
    format.headerRow,
  ).run();
  return columns;
}

/** A result file that was corrected and is imported again. */
function firstResultColumn(names: readonly string[]): number {
  const first = names.length - importResultColumns.length;
  const isResult = importResultColumns.every((name, index) => names[first + index] === name);
  return first > 0 && isResult ? first : names.length;
}

class Guesser {
  readonly #kanban: KanbanDefinition;
  readonly #columns: ImportColumn[];
  readonly #sample: readonly string[][];
  readonly #isNamed: boolean;
  readonly #taken = new Set<string>();

  constructor(
    kanban: KanbanDefinition,
    columns: ImportColumn[],
    sample: readonly string[][],
    isNamed: boolean,
  ) {
    this.#kanban = kanban;
    this.#columns = columns;
    this.#sample = sample;
    this.#isNamed = isNamed;
  }

  run(): void {
    if (this.#isNamed) {
      this.#byName();
      this.#byWords();
    }
    this.#byValues();
  }

  #byName(): void {
    const own = new Map(
      ['title', 'status', 'channelId', 'assignedUserIds'].map((target) => [fold(target), target]),
    );
    for (const column of this.#columns) {
      const name = fold(column.name);
      const fields = this.#fields().filter((field) => fold(field.name) === name);
      const target =
        this.#fieldById(column.name) ?? own.get(name) ?? (fields.length === 1 ? fields[0]!.id : null);
      if (target) this.#take(column, target, 'name');
    }
  }

  #byWords(): void {
    for (const [target, words] of [
      ['title', titleWords],
      ['status', statusWords],
      ['channelId', channelWords],
      ['assignedUserIds', assigneeWords],
    ] as const) {
      for (const word of words) {
        const column = this.#free().find((one) => fold(one.name) === word);
        if (column) this.#take(column, target, 'synonym');
      }
    }
    for (const column of this.#free()) {
      const group = wordGroup(column.name);
      if (group === null) continue;
      const field = this.#freeFields().find(
        (one) =>
          wordGroup(one.name) === group ||
          (group === emailGroup && one.type === 'email') ||
          (group === phoneGroup && one.type === 'phone'),
      );
      if (field) this.#take(column, field.id, 'synonym');
    }
  }

  #byValues(): void {
    for (const [look, type] of [
      ['email', 'email'],
      ['phone', 'phone'],
      ['url', 'url'],
    ] satisfies [ImportLook, FieldType][]) {
      const column = this.#free().find((one) => one.looksLike === look);
      const field = this.#freeFields().find((one) => one.type === type);
      if (column && field) this.#take(column, field.id, 'values');
    }
    const statuses = new Set(this.#kanban.statuses.flatMap(({ value, label }) => [fold(value), fold(label)]));
    const status = this.#free().find((column) => {
      const values = this.#valuesOf(column);
      return values.length > 1 && values.every((value) => statuses.has(fold(value)));
    });
    if (status) this.#take(status, 'status', 'values');
    if (this.#taken.has('title')) return;
    // The first column of words; a list of nothing but addresses uses these.
    const text =
      this.#free().find((column) => column.looksLike === 'text') ??
      this.#free().find((column) => column.looksLike !== 'empty');
    if (text) this.#take(text, 'title', 'values');
  }

  #take(column: ImportColumn, target: string, guessedBy: NonNullable<ImportColumn['guessedBy']>): void {
    if (this.#taken.has(target) || column.target !== null) return;
    this.#taken.add(target);
    column.target = target;
    column.guessedBy = guessedBy;
  }

  #valuesOf(column: ImportColumn): string[] {
    return this.#sample.map((cells) => cells[column.index]?.trim() ?? '').filter((value) => value !== '');
  }

  #free = (): ImportColumn[] => this.#columns.filter((column) => column.target === null);
  #fields = (): FieldDefinition[] => [...this.#kanban.fields.values()];
  #freeFields = (): FieldDefinition[] => this.#fields().filter((field) => !this.#taken.has(field.id));

  /** As an export names a field whose name alone is ambiguous: `Region (0198…)`. */
  #fieldById(name: string): string | null {
    const id = /([0-9a-f-]{36})\)?$/.exec(name.trim())?.[1];
    return id !== undefined && this.#kanban.fields.has(id) ? id : null;
  }
}

/** People are identified by their e-mail addresses; without any, by the rule of the API. */
export function guessDuplicates(
  kanban: KanbanDefinition,
  columns: readonly ImportColumn[],
): ImportDuplicates {
  const targets = new Set(columns.map((column) => column.target));
  if (targets.has('channelId')) return { by: 'titleAndChannel', fieldId: null, action: 'skip' };
  for (const type of ['email', 'phone'] as const) {
    const field = [...kanban.fields.values()].find((one) => one.type === type && targets.has(one.id));
    if (field) return { by: 'field', fieldId: field.id, action: 'skip' };
  }
  return { by: 'titleAndChannel', fieldId: null, action: 'skip' };
}
