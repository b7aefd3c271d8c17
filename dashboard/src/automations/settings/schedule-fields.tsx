/** By the clock: how often and at what time, or the five fields of cron. */
import { useMemo, useState } from 'react';
import { t } from '../../texts/texts.ts';
import { Field, Input } from '../../ui/controls/input.tsx';
import { Segmented } from '../../ui/controls/segmented.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { type DraftTrigger, readersZone } from '../rule-draft.ts';
import { readCron, type Timetable, weekdayName, writeCron } from '../trigger-words.ts';

interface ScheduleProps {
  trigger: DraftTrigger;
  onChange(trigger: DraftTrigger): void;
}

export function ScheduleFields({ trigger, onChange }: ScheduleProps) {
  const { cron = '', timeZone = readersZone(), over = 'sessions' } = trigger;
  const table = readCron(cron);
  const [isOwn, setOwn] = useState(table === null);
  const set = (parts: Partial<Timetable>) =>
    onChange({ ...trigger, cron: writeCron({ every: 'day', day: 1, at: '09:00', ...table, ...parts }) });
  const choose = (every: Timetable['every'] | 'cron') => {
    setOwn(every === 'cron');
    if (every !== 'cron') set({ every, day: 1 });
  };
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label={t('automation.every')}>
          {(ids) => (
            <Select
              {...ids}
              value={isOwn || !table ? 'cron' : table.every}
              onChange={choose}
              options={(['day', 'weekday', 'week', 'month', 'cron'] as const).map((value) => ({
                value,
                label: t(`automation.every.${value}`),
              }))}
            />
          )}
        </Field>
        {isOwn || !table ? (
          <Field label={t('automation.cron')} hint={t('automation.cronHint')}>
            {(ids) => (
              <Input
                {...ids}
                className="font-mono"
                value={cron}
                onChange={({ target }) => onChange({ ...trigger, cron: target.value })}
              />
            )}
          </Field>
        ) : (
          <Field label={t('automation.timeOfDay')}>
            {(ids) => (
              <Input
                {...ids}
                type="time"
                value={table.at}
                onChange={({ target }) => target.value && set({ at: target.value })}
              />
            )}
          </Field>
        )}
        {!isOwn && table?.every === 'week' && (
          <Field label={t('automation.weekday')}>
            {(ids) => (
              <Select
                {...ids}
                value={String(table.day)}
                onChange={(day) => set({ day: Number(day) })}
                options={[1, 2, 3, 4, 5, 6, 7].map((day) => ({
                  value: String(day),
                  label: weekdayName(day),
                }))}
              />
            )}
          </Field>
        )}
        {!isOwn && table?.every === 'month' && (
          <Field label={t('automation.dayOfMonth')}>
            {(ids) => (
              <Input
                {...ids}
                type="number"
                min={1}
                max={31}
                value={table.day}
                onChange={({ target }) => {
                  const day = Number(target.value);
                  if (day >= 1 && day <= 31) set({ day });
                }}
              />
            )}
          </Field>
        )}
        <TimeZoneSelect value={timeZone} onChange={(next) => onChange({ ...trigger, timeZone: next })} />
      </div>
      <span>
        <Segmented
          label={t('automation.over')}
          value={over}
          onChange={(next) => onChange({ ...trigger, over: next })}
          segments={(['sessions', 'records'] as const).map((value) => ({
            value,
            label: t(`automation.over.${value}`),
          }))}
        />
      </span>
    </>
  );
}

export function TimeZoneSelect({ value, onChange }: { value: string; onChange(zone: string): void }) {
  const zones = useMemo(() => {
    const names = new Set(['UTC', readersZone(), value, ...Intl.supportedValuesOf('timeZone')]);
    return [...names].map((name) => ({ value: name, label: name.replaceAll('_', ' ') }));
  }, [value]);
  return (
    <Field label={t('automation.timeZone')}>
      {(ids) => <Select {...ids} value={value} options={zones} onChange={onChange} />}
    </Field>
  );
}
