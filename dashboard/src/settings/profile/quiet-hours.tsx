import { useMemo } from 'react';
import { clockTimeIn } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import type { Option } from '../../ui/controls/select.tsx';
import { SavedSelect, SavedSwitch, SavedText } from '../parts/saved-fields.tsx';
import type { SettingsPartProps } from './notification-matrix.tsx';

const own = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

export function QuietHours({ settings, onSave }: SettingsPartProps) {
  const { quietHours } = settings;
  const { enabled, from, to, timeZone } = quietHours;
  const save = (change: Partial<typeof quietHours>) =>
    onSave({ ...settings, quietHours: { ...quietHours, ...change } }, { quietHours: change });
  const zones = useMemo<Option[]>(() => {
    const names = new Set(['UTC', own(), timeZone, ...Intl.supportedValuesOf('timeZone')]);
    return [...names].map((name) => ({ value: name, label: name.replaceAll('_', ' ') }));
  }, [timeZone]);
  return (
    <>
      <SavedSwitch
        label={t('notifications.quietOn')}
        checked={enabled}
        // Defaults to the user's own time zone.
        onSave={(on) => save({ enabled: on, ...(on && timeZone === 'UTC' && { timeZone: own() }) })}
      />
      {enabled && (
        <div className="grid gap-4 sm:grid-cols-[120px_120px_1fr]">
          <SavedText
            type="time"
            label={t('notifications.from')}
            value={from}
            required
            onSave={(value) => save({ from: value })}
          />
          <SavedText
            type="time"
            label={t('notifications.to')}
            value={to}
            required
            onSave={(value) => save({ to: value })}
          />
          <SavedSelect
            label={t('notifications.zone')}
            hint={t('notifications.zoneHint', { time: clockTimeIn(timeZone, Date.now()) })}
            value={timeZone}
            options={zones}
            onSave={(value) => save({ timeZone: value })}
          />
        </div>
      )}
    </>
  );
}
