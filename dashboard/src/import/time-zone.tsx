import { ChevronDown } from 'lucide-react';
import { useMemo } from 'react';
import type { ImportJob } from '../../../contract/crm/imports.ts';
import { t } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { Picker } from '../ui/controls/picker.tsx';
import { changeImport } from './import-data.ts';

/** Spreadsheets store times without a time zone. */
export function TimeZone({ current }: { current: ImportJob }) {
  const options = useMemo(
    () => ['UTC', ...Intl.supportedValuesOf('timeZone')].map((zone) => ({ value: zone, label: zone })),
    [],
  );
  return (
    <section className="flex flex-wrap items-center gap-2">
      <span className="text-muted">{t('import.timeZone')}</span>
      <Picker
        label={t('import.timeZone.choose')}
        options={options}
        chosen={[current.timeZone]}
        onChange={([timeZone]) => {
          if (!timeZone) return;
          void changeImport(current, { timeZone }, (before) => ({ ...before, timeZone }));
        }}
        trigger={
          <Button aria-label={t('import.timeZone.now', { zone: current.timeZone })}>
            {current.timeZone}
            <ChevronDown className="size-3.5 text-faint" />
          </Button>
        }
      />
    </section>
  );
}
