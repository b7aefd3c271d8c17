/** Which business hours the chat has, and what it says and does outside of them. */
import { Link } from '@tanstack/react-router';
import { aiHours } from '../../../../contract/widget/widget.ts';
import { useMay } from '../../data/session.ts';
import { t } from '../../texts/texts.ts';
import { useHours } from '../hours/hours-data.ts';
import { SavedSelect, SavedText } from '../parts/saved-fields.tsx';
import { Part } from '../parts/section.tsx';
import type { WidgetServiceProps } from './widget-service.tsx';

export function OpeningHoursPart({ settings, onSave }: WidgetServiceProps) {
  const { hoursId, awayMessage } = settings;
  const hours = useHours();
  const mayManage = useMay('automation.manage');
  return (
    <Part title={t('widget.hours')} text={t('widget.hours.text')}>
      <SavedSelect
        label={t('settings.hours')}
        value={hoursId ?? 'none'}
        options={[
          { value: 'none', label: t('widget.hours.none') },
          ...hours.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onSave={(value) => onSave({ hoursId: value === 'none' ? null : value })}
      />
      {mayManage && (
        <Link
          to="/settings/$section"
          params={{ section: 'business-hours' }}
          className="w-fit text-accent-ink underline-offset-2 hover:underline"
        >
          {t('widget.hours.edit')}
        </Link>
      )}
      {hoursId !== null && (
        <>
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
