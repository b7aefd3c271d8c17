import { useState } from 'react';
import {
  type WidgetSettings,
  type WidgetSettingsUpdate,
  widgetLanguages,
  widgetSides,
  widgetThemes,
} from '../../../../contract/widget/widget.ts';
import { t } from '../../texts/texts.ts';
import { ColorField } from '../../ui/controls/color-field.tsx';
import { Field } from '../../ui/controls/input.tsx';
import { Segmented } from '../../ui/controls/segmented.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';

export interface WidgetLookFieldsProps {
  settings: WidgetSettings;
  saved: string | null;
  onChange(field: string, update: WidgetSettingsUpdate): Promise<boolean>;
}

export function WidgetLookFields({ settings, saved, onChange }: WidgetLookFieldsProps) {
  const [title, setTitle] = useState(settings.title);
  const [greeting, setGreeting] = useState(settings.greeting);
  const [origins, setOrigins] = useState(settings.allowedOrigins.join('\n'));
  const saveOrigins = () => {
    const lines = origins.split(/\s+/).filter(Boolean);
    if (lines.join() !== settings.allowedOrigins.join()) void onChange('origins', { allowedOrigins: lines });
  };
  return (
    <>
      <TextField
        label={t('widget.name')}
        hint={t('widget.nameHint')}
        saved={saved === 'title'}
        value={title}
        maxLength={60}
        onChange={setTitle}
        onBlur={() => title.trim() !== settings.title && void onChange('title', { title })}
      />
      <TextField
        label={t('widget.greeting')}
        hint={t('widget.greetingHint')}
        saved={saved === 'greeting'}
        lines={{ min: 2, max: 12 }}
        value={greeting}
        maxLength={500}
        onChange={setGreeting}
        onBlur={() => greeting.trim() !== settings.greeting && void onChange('greeting', { greeting })}
      />
      <ColorField
        label={t('widget.color')}
        wrong={t('widget.colorWrong')}
        saved={saved === 'color'}
        value={settings.color}
        onSave={(color) => void onChange('color', { color })}
      />
      <div className="flex flex-wrap gap-6">
        <div className="flex flex-col gap-1">
          <span className="font-medium">{t('widget.side')}</span>
          <Segmented
            label={t('widget.side')}
            value={settings.side}
            segments={[...widgetSides]
              .reverse()
              .map((value) => ({ value, label: t(`widget.side.${value}`) }))}
            onChange={(side) => void onChange('side', { side })}
          />
        </div>
        <div className="flex flex-col gap-1">
          <span className="font-medium">{t('widget.theme')}</span>
          <Segmented
            label={t('widget.theme')}
            value={settings.theme}
            segments={widgetThemes.map((value) => ({ value, label: t(`widget.theme.${value}`) }))}
            onChange={(theme) => void onChange('theme', { theme })}
          />
        </div>
      </div>
      <Field label={t('widget.language')} saved={saved === 'language'}>
        {(ids) => (
          <Select
            {...ids}
            value={settings.language}
            options={widgetLanguages.map((value) => ({ value, label: t(`widget.language.${value}`) }))}
            onChange={(language) => void onChange('language', { language })}
          />
        )}
      </Field>
      <TextField
        label={t('widget.origins')}
        hint={t(settings.allowedOrigins.length === 0 ? 'widget.originsOpen' : 'widget.originsHint')}
        saved={saved === 'origins'}
        lines={{ min: 2, max: 12 }}
        value={origins}
        spellCheck={false}
        className="font-mono"
        placeholder="https://www.example.com"
        onChange={setOrigins}
        onBlur={saveOrigins}
      />
    </>
  );
}
