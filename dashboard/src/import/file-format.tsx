/** How the file was read. The detection is mostly right, so it is one line until someone wants to change it. */
import { useState } from 'react';
import {
  type ImportEncoding,
  type ImportJob,
  type ImportSeparator,
  type ImportUpdate,
  importEncodings,
  importSeparators,
} from '../../../contract/crm/imports.ts';
import { t } from '../texts/texts.ts';
import { Button, Spinner } from '../ui/controls/button.tsx';
import { Field } from '../ui/controls/input.tsx';
import { Select } from '../ui/controls/select.tsx';
import { Switch } from '../ui/controls/switch.tsx';
import { changeImport } from './import-data.ts';

const separatorKeys = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'bar' } as const;
const separatorName = (separator: ImportSeparator) => t(`import.separator.${separatorKeys[separator]}`);
const encodingName = (encoding: ImportEncoding) => t(`import.encoding.${encoding}`);

export function FileFormat({ current }: { current: ImportJob }) {
  const { format } = current;
  const [isOpen, setIsOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const change = async (update: NonNullable<ImportUpdate['format']>) => {
    setBusy(true);
    await changeImport(current, { format: update }, (before) => ({
      ...before,
      format: { ...before.format, ...update },
    }));
    setBusy(false);
  };
  return (
    <section aria-label={t('import.format.title')} className="rounded-panel border border-line">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 py-1.5 pr-1.5 pl-3">
        <p className="min-w-0 flex-1 text-muted">
          {t('import.format.readAs', {
            encoding: encodingName(format.encoding),
            separator: separatorName(format.separator),
          })}
          {'. '}
          {format.headerRow ? t('import.format.named') : t('import.format.unnamed')}
        </p>
        {busy && <Spinner className="text-muted" />}
        <Button tone="quiet" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {t('import.format.change')}
        </Button>
      </div>
      {isOpen && (
        <div className="grid gap-4 border-t border-line p-3 sm:grid-cols-2">
          <Field label={t('import.encoding')} hint={t('import.encoding.hint')}>
            {(ids) => (
              <Select<ImportEncoding>
                {...ids}
                value={format.encoding}
                options={importEncodings.map((value) => ({ value, label: encodingName(value) }))}
                onChange={(encoding) => void change({ encoding })}
              />
            )}
          </Field>
          <Field label={t('import.separator')} hint={t('import.separator.hint')}>
            {(ids) => (
              <Select<ImportSeparator>
                {...ids}
                value={format.separator}
                options={importSeparators.map((value) => ({ value, label: separatorName(value) }))}
                onChange={(separator) => void change({ separator })}
              />
            )}
          </Field>
          <Switch
            checked={format.headerRow}
            onChange={(headerRow) => void change({ headerRow })}
            label={t('import.headerRow')}
            hint={t('import.headerRow.hint')}
          />
          <Switch
            checked={format.quotes === 'double'}
            onChange={(isOn) => void change({ quotes: isOn ? 'double' : 'none' })}
            label={t('import.quotes')}
            hint={t('import.quotes.hint')}
          />
        </div>
      )}
    </section>
  );
}
