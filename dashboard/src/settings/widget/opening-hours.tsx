/** Opening hours with the away message: edited as a whole and saved by a button, as halves of it are not valid. */
import { useEffect, useMemo, useState } from 'react';
import { findHoursProblem, type OpeningHours } from '../../../../contract/widget/opening-hours.ts';
import { aiHours } from '../../../../contract/widget/widget.ts';
import { clockTimeIn } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { SavedMark, SavedSelect, SavedSwitch, SavedText, useSaving } from '../parts/saved-fields.tsx';
import { Part } from '../parts/section.tsx';
import { ClosedDates } from './closed-dates.tsx';
import { WeekHours } from './week-hours.tsx';
import type { WidgetServiceProps } from './widget-service.tsx';

const own = () => Intl.DateTimeFormat().resolvedOptions().timeZone;
const usual = (): OpeningHours => ({
  timeZone: own(),
  week: [1, 2, 3, 4, 5].map((day) => ({ day, from: '09:00', to: '17:00' })),
  closedDates: [],
});

export function OpeningHoursPart({ settings, onSave }: WidgetServiceProps) {
  const { hours, awayMessage } = settings;
  return (
    <Part title={t('widget.hours')} text={t('widget.hours.text')}>
      <SavedSwitch
        label={t('widget.hours.on')}
        checked={hours !== null}
        onSave={async (isOn) => {
          await onSave({ hours: isOn ? usual() : null });
          if (isOn || !hours) return;
          toast.undo(t('widget.hours.removed'), () => {
            void onSave({ hours }).catch((error) => toast.failed(t('settings.undoFailed'), error));
          });
        }}
      />
      {hours && (
        <>
          <HoursForm hours={hours} onSave={(next) => onSave({ hours: next })} />
          <SavedText
            label={t('widget.away')}
            hint={t('widget.away.hint')}
            lines={{ min: 2, max: 8 }}
            maxLength={500}
            value={awayMessage}
            onSave={(text) => onSave({ awayMessage: text })}
          />
          <SavedSelect
            label={t('widget.aiHours')}
            hint={t('widget.aiHours.hint')}
            value={settings.aiHours}
            options={aiHours.map((value) => ({ value, label: t(`widget.aiHours.${value}`) }))}
            onSave={(value) => onSave({ aiHours: value })}
          />
        </>
      )}
    </Part>
  );
}

interface HoursFormProps {
  hours: OpeningHours;
  onSave(hours: OpeningHours): Promise<void>;
}

function HoursForm({ hours, onSave }: HoursFormProps) {
  const [draft, setDraft] = useState(hours);
  // As stored: in order, with the canonical name of the zone.
  useEffect(() => setDraft(hours), [hours]);
  const { saved, error, run } = useSaving();
  const { timeZone, week, closedDates } = draft;
  const zones = useMemo(() => {
    const names = new Set(['UTC', own(), timeZone, ...Intl.supportedValuesOf('timeZone')]);
    return [...names].map((name) => ({ value: name, label: name.replaceAll('_', ' ') }));
  }, [timeZone]);
  const incomplete = week.findIndex(({ from, to }) => from === '' || to === '');
  const problem = incomplete < 0 ? findHoursProblem(week) : { index: incomplete, kind: 'missing' as const };
  const isChanged = JSON.stringify(draft) !== JSON.stringify(hours);
  return (
    <div className="flex flex-col gap-4">
      <Field
        label={t('widget.hours.zone')}
        hint={t('widget.hours.zoneHint', { time: clockTimeIn(timeZone, Date.now()) })}
      >
        {(ids) => (
          <Select
            {...ids}
            value={timeZone}
            options={zones}
            onChange={(next) => setDraft({ ...draft, timeZone: next })}
          />
        )}
      </Field>
      <WeekHours week={week} problem={problem} onChange={(next) => setDraft({ ...draft, week: next })} />
      <ClosedDates dates={closedDates} onChange={(next) => setDraft({ ...draft, closedDates: next })} />
      {error && (
        <p role="alert" className="text-sm text-danger">
          {error}
        </p>
      )}
      <div className="flex items-center gap-3">
        <Button
          tone="primary"
          disabled={!isChanged || problem !== null}
          onClick={() => void run(() => onSave(draft))}
        >
          {t('widget.hours.save')}
        </Button>
        <SavedMark saved={saved} />
      </div>
    </div>
  );
}
