/** What happens to a row whose customer is on the board already. */
import type { ImportDuplicates } from '../../../contract/crm/imports.ts';
import { importDuplicateActions } from '../../../contract/crm/imports.ts';
import { FieldIcon } from '../fields/field-icon.tsx';
import { fieldLabel } from '../fields/field-label.ts';
import { t } from '../texts/texts.ts';
import { Field } from '../ui/controls/input.tsx';
import { type Option, Select } from '../ui/controls/select.tsx';
import { changeImport } from './import-data.ts';
import type { StepProps } from './import-steps.tsx';

const byTitle = 'titleAndChannel';

export function Duplicates({ board, current }: StepProps) {
  const { duplicates, columns } = current;
  const mapped = new Set(columns.map(({ target }) => target));
  const fields = board.fields.filter(({ id }) => mapped.has(id));
  const hasChannel = mapped.has('channelId');
  const options: Option[] = [
    { value: byTitle, label: t('import.duplicates.byTitle') },
    ...fields.map((field) => ({
      value: field.id,
      label: fieldLabel(field),
      mark: <FieldIcon type={field.type} className="size-3.5 text-faint" />,
    })),
  ];
  const chosen = duplicates.by === 'field' ? (duplicates.fieldId ?? undefined) : byTitle;
  const change = (update: Partial<ImportDuplicates>) =>
    void changeImport(current, { duplicates: update }, (before) => ({
      ...before,
      duplicates: { ...before.duplicates, ...update },
    }));
  const looksFor = duplicates.action !== 'create';
  return (
    <section aria-labelledby="import-duplicates" className="flex flex-col gap-3">
      <div>
        <h3 id="import-duplicates" className="font-medium">
          {t('import.duplicates.title')}
        </h3>
        <p className="max-w-[72ch] text-pretty text-muted">{t('import.duplicates.text')}</p>
      </div>
      <fieldset className="grid gap-2 sm:grid-cols-3">
        <legend className="sr-only">{t('import.duplicates.action')}</legend>
        {importDuplicateActions.map((action) => (
          <label
            key={action}
            className="flex cursor-pointer items-start gap-2.5 rounded-control border border-line p-3 transition-colors hover:bg-hover has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name="import-duplicates"
              data-quiet-focus=""
              className="mt-1 size-3.5 shrink-0 accent-accent"
              checked={duplicates.action === action}
              onChange={() => change({ action })}
            />
            <span>
              <span className="block font-medium">{t(`import.duplicates.${action}`)}</span>
              <span className="block text-sm text-muted">{t(`import.duplicates.${action}.hint`)}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {looksFor && (
        <div className="max-w-sm">
          <Field
            label={t('import.duplicates.by')}
            hint={
              chosen === byTitle && !hasChannel
                ? t('import.duplicates.noChannel')
                : t('import.duplicates.byHint')
            }
          >
            {(ids) => (
              <Select
                {...ids}
                value={chosen}
                options={options}
                onChange={(value) =>
                  change(
                    value === byTitle
                      ? { by: 'titleAndChannel', fieldId: null }
                      : { by: 'field', fieldId: value },
                  )
                }
              />
            )}
          </Field>
        </div>
      )}
    </section>
  );
}
