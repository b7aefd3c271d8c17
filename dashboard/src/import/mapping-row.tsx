import { ArrowRight, CircleDashed, Plus, Radio, Tag, Type, Users } from 'lucide-react';
import type { ReactNode } from 'react';
import {
  type ImportColumn,
  type ImportDateForm,
  type ImportNumberForm,
  importDateForms,
  importNumberForms,
  importTargets,
} from '../../../contract/crm/imports.ts';
import type { Kanban } from '../../../contract/crm/kanbans.ts';
import { useMay } from '../data/session.ts';
import { FieldIcon } from '../fields/field-icon.tsx';
import { fieldLabel } from '../fields/field-label.ts';
import { t } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';
import { type Option, Select } from '../ui/controls/select.tsx';

const ignored = '-';
const newField = '+';
type Target = (typeof importTargets)[number];

const marks: { [target in Target]: ReactNode } = {
  title: <Type className="size-3.5 text-faint" />,
  status: <Tag className="size-3.5 text-faint" />,
  channelId: <Radio className="size-3.5 text-faint" />,
  assignedUserIds: <Users className="size-3.5 text-faint" />,
};

/** What a target is called: one of the record's own, or a field. */
export function targetName(board: Kanban, target: string | null): string {
  if (target === null) return t('import.target.ignored');
  if ((importTargets as readonly string[]).includes(target)) return t(`import.target.${target as Target}`);
  const field = board.fields.find(({ id }) => id === target);
  return field ? fieldLabel(field) : '…';
}

export interface MappingRowProps {
  board: Kanban;
  column: ImportColumn;
  onChange(update: Partial<Pick<ImportColumn, 'target' | 'dateForm' | 'numberForm'>>): void;
  onNewField(): void;
}

export function MappingRow({ board, column, onChange, onNewField }: MappingRowProps) {
  const may = useMay('fields.manage');
  const fields = [...board.fields].sort((a, b) => a.order - b.order);
  const type = fields.find(({ id }) => id === column.target)?.type;
  const options: Option[] = [
    {
      value: ignored,
      label: t('import.target.ignored'),
      mark: <CircleDashed className="size-3.5 text-faint" />,
    },
    ...importTargets.map((value) => ({ value, label: targetName(board, value), mark: marks[value] })),
    ...fields.map((field) => ({
      value: field.id,
      label: fieldLabel(field),
      mark: <FieldIcon type={field.type} className="size-3.5 text-faint" />,
    })),
    ...(may
      ? [{ value: newField, label: t('import.map.newField'), mark: <Plus className="size-3.5 text-faint" /> }]
      : []),
  ];
  const { guessedBy } = column;
  const guess =
    column.target !== null && guessedBy !== null && guessedBy !== 'chosen'
      ? t(`import.guessedBy.${guessedBy}`)
      : '';
  const choose = (value: string) => {
    if (value === newField) return onNewField();
    onChange({ target: value === ignored ? null : value });
  };
  return (
    <li className="grid items-start gap-3 border-b border-line px-3 py-2.5 last:border-0 sm:grid-cols-[minmax(0,1fr)_16px_minmax(0,320px)]">
      <div className={cx('min-w-0', column.target === null && 'text-muted')}>
        <p className="flex min-w-0 items-baseline gap-2">
          <span className="truncate font-medium" title={column.name}>
            {column.name}
          </span>
          {guess && <span className="shrink-0 text-sm text-faint max-sm:hidden">{guess}</span>}
        </p>
        <p className="truncate text-muted" title={column.samples.join('\n')}>
          <span className="sr-only">{t('import.map.samples')} </span>
          {column.samples.length > 0 ? column.samples.slice(0, 3).join('  ·  ') : t('import.map.noValues')}
        </p>
      </div>
      <ArrowRight
        aria-hidden
        className={cx(
          'mt-2 size-4 max-sm:hidden',
          column.target === null ? 'text-line-strong' : 'text-faint',
        )}
      />
      <div className="flex min-w-0 flex-col gap-1.5">
        {column.isResult ? (
          <p className="py-1.5 text-muted">{t('import.map.isResult')}</p>
        ) : (
          <Select
            label={t('import.map.targetOf', { name: column.name })}
            value={column.target ?? ignored}
            options={options}
            onChange={choose}
            className={column.target === null ? 'text-muted' : ''}
          />
        )}
        {(type === 'date' || type === 'datetime') && mayMean(column, /^\s*\d{4}-/) && (
          <Select<ImportDateForm>
            label={t('import.dateForm.of', { name: column.name })}
            value={column.dateForm}
            options={importDateForms.map((value) => ({ value, label: t(`import.dateForm.${value}`) }))}
            onChange={(dateForm) => onChange({ dateForm })}
          />
        )}
        {(type === 'number' || type === 'currency') && mayMean(column, /^[^.,]*$/) && (
          <Select<ImportNumberForm>
            label={t('import.numberForm.of', { name: column.name })}
            value={column.numberForm}
            options={importNumberForms.map((value) => ({ value, label: t(`import.numberForm.${value}`) }))}
            onChange={(numberForm) => onChange({ numberForm })}
          />
        )}
      </div>
    </li>
  );
}

/** Whether dates or numbers are ambiguous: not when every value is `clear`. */
const mayMean = ({ samples }: ImportColumn, clear: RegExp) => !samples.every((text) => clear.test(text));
