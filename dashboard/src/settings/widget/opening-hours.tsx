/** Which business hours the chat has, and what it says and does outside of them. */
import { aiHours } from '../../../../contract/widget/widget.ts';
import { t } from '../../texts/texts.ts';
import { SavedHours } from '../hours/saved-hours.tsx';
import { SavedSelect, SavedText } from '../parts/saved-fields.tsx';
import { Part } from '../parts/section.tsx';
import type { WidgetServiceProps } from './widget-service.tsx';

export function OpeningHoursPart({ settings, onSave }: WidgetServiceProps) {
  const { hoursId, awayMessage } = settings;
  return (
    <Part title={t('widget.hours')} text={t('widget.hours.text')}>
      <SavedHours none={t('widget.hours.none')} hoursId={hoursId} onSave={(id) => onSave({ hoursId: id })} />
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
