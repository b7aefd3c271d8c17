/** Maps columns to fields. Every choice is saved at once. */
import { useNavigate } from '@tanstack/react-router';
import { AlertTriangle, ArrowRight } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { ImportColumn, ImportJob } from '../../../contract/crm/imports.ts';
import type { Field } from '../../../contract/crm/kanbans.ts';
import type { FieldType } from '../../../contract/limits.ts';
import { keys } from '../data/queries.ts';
import { refresh } from '../data/refresh.ts';
import { number } from '../texts/format.ts';
import { t, tn, withTexts } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { Duplicates } from './duplicates.tsx';
import { FileFormat } from './file-format.tsx';
import { changeImport } from './import-data.ts';
import { sayReason } from './import-reasons.ts';
import { StepFrame, type StepProps } from './import-steps.tsx';
import { MappingRow } from './mapping-row.tsx';
import { TimeZone } from './time-zone.tsx';

const FieldDialog = lazy(withTexts('boardSettings', () => import('./new-field.tsx')));

/** A suggested new field, by the column's values. */
const typeOf = ({ looksLike }: ImportColumn): FieldType => (looksLike === 'empty' ? 'text' : looksLike);

export function MappingStep({ board, current }: StepProps) {
  const navigate = useNavigate();
  const [fieldFor, setFieldFor] = useState<ImportColumn | null>(null);
  const mapped = current.columns.filter(({ target }) => target !== null);
  // What is only updated keeps its title; rows that are new then fail, which the check shows.
  const hasTitle =
    mapped.some(({ target }) => target === 'title') ||
    (current.duplicates.action === 'update' && mapped.length > 0);
  const hasTimes = mapped.some(
    ({ target }) => board.fields.find(({ id }) => id === target)?.type === 'datetime',
  );

  const change = (index: number, update: Partial<Pick<ImportColumn, 'target' | 'dateForm' | 'numberForm'>>) =>
    changeImport(current, { columns: [{ index, ...update }] }, (before) => ({
      ...before,
      columns: before.columns.map((column) => {
        if (column.index === index) {
          return { ...column, ...update, ...('target' in update && { guessedBy: 'chosen' as const }) };
        }
        const isTaken = update.target != null && column.target === update.target;
        return isTaken ? { ...column, target: null, guessedBy: null } : column;
      }),
    }));
  const made = async (column: ImportColumn, field: Field) => {
    await refresh(keys.kanbans);
    await change(column.index, { target: field.fieldId });
  };

  return (
    <StepFrame
      title={t('import.map.title')}
      text={
        <>
          <span className="font-medium text-ink">{current.fileName}</span>
          {', '}
          {current.rowsAreCounted
            ? tn('import.rows', current.rows)
            : t('import.rowsAbout', { rows: number(current.rows) })}
          {'. '}
          {t('import.map.text')}
        </>
      }
      footer={
        <>
          <p role="status" className="mr-auto text-muted max-sm:w-full">
            {hasTitle
              ? t('import.map.count', { mapped: mapped.length, columns: current.columns.length })
              : t('import.map.noTitle')}
          </p>
          <Button
            onClick={() => void navigate({ to: '/boards/$boardId/import', params: { boardId: board.slug } })}
          >
            {t('import.anotherFile')}
          </Button>
          <Button
            tone="primary"
            disabled={!hasTitle}
            onClick={() => void navigate({ to: '.', search: { step: 'check' } })}
          >
            {t('import.map.next')}
            <ArrowRight className="size-3.5" />
          </Button>
        </>
      }
    >
      {current.fileProblem && <FileProblem current={current} />}
      <FileFormat current={current} />
      <section aria-label={t('import.map.columns')}>
        <div
          aria-hidden
          className="grid grid-cols-[minmax(0,1fr)_16px_minmax(0,320px)] gap-3 px-3 pb-1.5 text-sm font-medium text-faint max-sm:hidden"
        >
          <span>{t('import.map.inFile')}</span>
          <span />
          <span>{t('import.map.onBoard')}</span>
        </div>
        <ul className="flex flex-col rounded-panel border border-line">
          {current.columns.map((column) => (
            <MappingRow
              key={column.index}
              board={board}
              column={column}
              onChange={(update) => void change(column.index, update)}
              onNewField={() => setFieldFor(column)}
            />
          ))}
        </ul>
      </section>
      {hasTimes && <TimeZone current={current} />}
      <Duplicates board={board} current={current} />
      <Suspense>
        {fieldFor && (
          <FieldDialog
            board={board}
            suggested={{ name: fieldFor.name, type: typeOf(fieldFor) }}
            onClose={() => setFieldFor(null)}
            onSaved={(field) => made(fieldFor, field)}
          />
        )}
      </Suspense>
    </StepFrame>
  );
}

/** The rows before it can be imported; rows after broken quotes cannot be separated. */
function FileProblem({ current: { fileProblem } }: { current: ImportJob }) {
  if (!fileProblem) return null;
  const message = sayReason(fileProblem.reason, fileProblem.message);
  return (
    <div role="alert" className="flex items-start gap-2.5 rounded-control bg-warning-soft px-3 py-2">
      <AlertTriangle className="mt-0.5 size-4 shrink-0 text-warning" />
      <p className="text-pretty">
        {fileProblem.row === null
          ? t('import.fileProblem', { message })
          : t('import.fileProblemAt', { row: number(fileProblem.row), message })}
      </p>
    </div>
  );
}
