/** What the chat offers besides messages. */
import {
  askedFields,
  askMoments,
  type WidgetSettings,
  type WidgetSettingsUpdate,
} from '../../../../contract/widget/widget.ts';
import { t } from '../../texts/texts.ts';
import { SavedSelect, SavedSwitch } from '../parts/saved-fields.tsx';
import { Part } from '../parts/section.tsx';

export interface WidgetServiceProps {
  settings: WidgetSettings;
  onSave(update: WidgetSettingsUpdate): Promise<void>;
}

export function WidgetService({ settings, onSave }: WidgetServiceProps) {
  const { isMailConfigured, askFor } = settings;
  const moments = askMoments.map((value) => ({ value, label: t(`widget.ask.${value}`) }));
  const asked = askedFields.map((value) => ({ value, label: t(`widget.asked.${value}`) }));
  return (
    <Part title={t('widget.service')} text={t('widget.service.text')}>
      <SavedSwitch
        label={t('widget.person')}
        hint={t('widget.person.hint')}
        checked={settings.talkToPerson}
        onSave={(talkToPerson) => onSave({ talkToPerson })}
      />
      <SavedSwitch
        label={t('widget.rating')}
        hint={t('widget.rating.hint')}
        checked={settings.askRating}
        onSave={(askRating) => onSave({ askRating })}
      />
      <SavedSwitch
        label={t('widget.transcript')}
        hint={t(isMailConfigured ? 'widget.transcript.hint' : 'widget.transcript.off')}
        checked={isMailConfigured && settings.offerTranscript}
        disabled={!isMailConfigured}
        onSave={(offerTranscript) => onSave({ offerTranscript })}
      />
      <SavedSelect
        label={t('widget.ask')}
        hint={t('widget.ask.hint')}
        value={askFor}
        options={moments}
        onSave={(value) => onSave({ askFor: value })}
      />
      {askFor !== 'off' && (
        <div className="grid gap-4 sm:grid-cols-2">
          <SavedSelect
            label={t('widget.askName')}
            value={settings.askName}
            options={asked}
            onSave={(askName) => onSave({ askName })}
          />
          <SavedSelect
            label={t('widget.askEmail')}
            value={settings.askEmail}
            options={asked}
            onSave={(askEmail) => onSave({ askEmail })}
          />
        </div>
      )}
    </Part>
  );
}
