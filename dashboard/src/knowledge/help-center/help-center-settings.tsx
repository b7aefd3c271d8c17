/** The settings of the help center. Each is saved as it is changed. */
import type { HelpCenter, HelpCenterUpdate } from '../../../../contract/help-center.ts';
import { limits } from '../../../../contract/limits.ts';
import { api } from '../../data/api.ts';
import { ApiError, ExplainedError } from '../../data/errors.ts';
import { queryClient } from '../../data/query-client.ts';
import { ChipPicker } from '../../settings/parts/choices.tsx';
import {
  SavedMark,
  SavedSelect,
  SavedSwitch,
  SavedText,
  useSaving,
} from '../../settings/parts/saved-fields.tsx';
import { Part } from '../../settings/parts/section.tsx';
import { languageName } from '../../texts/language-name.ts';
import { t } from '../../texts/texts.ts';
import { ColorField } from '../../ui/controls/color-field.tsx';
import { CopyField } from '../../ui/controls/copy-field.tsx';
import { helpCenterQuery } from '../knowledge-data.ts';
import { offeredLanguages } from '../language-select.tsx';
import { HelpCenterLogo } from './help-center-logo.tsx';

/** The help center has the origin of the dashboard. */
export const publicAddress = (slug: string): string => `${location.origin}/help/${slug}/`;

export type SaveHelpCenter = (change: HelpCenterUpdate) => Promise<void>;

const save: SaveHelpCenter = async (change) => {
  const stored = await api<HelpCenter>('PATCH', '/help-center', { body: change });
  queryClient.setQueryData(helpCenterQuery.queryKey, stored);
};

const slugForm = /^[a-z0-9-]+$/;

async function saveSlug(slug: string): Promise<void> {
  const { min, max } = limits.helpSlugLength;
  if (!slugForm.test(slug) || slug.length < min || slug.length > max)
    throw new ExplainedError(t('knowledge.help.slugWrong', { min, max }));
  try {
    await save({ slug });
  } catch (error) {
    const isTaken = error instanceof ApiError && error.status === 409 && error.message.startsWith('slug ');
    throw isTaken ? new ExplainedError(t('knowledge.help.slugTaken')) : error;
  }
}

export function HelpCenterSettings({ helpCenter }: { helpCenter: HelpCenter }) {
  const { enabled, slug, name, homeText } = helpCenter;
  return (
    <div className="flex max-w-[640px] flex-col gap-6">
      <SavedSwitch
        label={t('knowledge.help.enabled')}
        hint={slug === null ? t('knowledge.help.needsSlug') : t('knowledge.help.enabledHint')}
        checked={enabled}
        disabled={slug === null && !enabled}
        onSave={(isOn) => save({ enabled: isOn })}
      />
      <SavedText
        label={t('knowledge.help.slug')}
        hint={slug === null ? t('knowledge.help.slugHint') : t('knowledge.help.slugChange')}
        value={slug ?? ''}
        maxLength={limits.helpSlugLength.max}
        spellCheck={false}
        required
        onSave={saveSlug}
      />
      {slug !== null && (
        <div className="-mt-3 flex flex-col gap-1">
          <span className="text-sm text-muted">{t('knowledge.help.publicAddress')}</span>
          <CopyField value={publicAddress(slug)} label={t('knowledge.help.copyAddress')} />
        </div>
      )}
      <Part title={t('knowledge.help.look')}>
        <SavedText
          label={t('knowledge.help.name')}
          value={name}
          maxLength={limits.nameLength}
          required
          onSave={(next) => save({ name: next })}
        />
        <Color value={helpCenter.color} />
        <HelpCenterLogo fileKey={helpCenter.logoFileKey} onSave={save} />
        <SavedText
          label={t('knowledge.help.homeText')}
          hint={t('knowledge.help.homeTextHint')}
          lines={{ min: 3, max: 12 }}
          value={homeText}
          maxLength={limits.helpHomeLength}
          onSave={(next) => save({ homeText: next })}
        />
      </Part>
      <Part title={t('knowledge.help.languages')} text={t('knowledge.help.languagesText')}>
        <Languages languages={helpCenter.languages} />
      </Part>
    </div>
  );
}

function Color({ value }: { value: string }) {
  const { saved, error, run } = useSaving();
  return (
    <ColorField
      label={t('knowledge.help.color')}
      hint={t('knowledge.help.colorHint')}
      wrong={t('knowledge.help.colorWrong')}
      error={error}
      saved={saved}
      value={value}
      onSave={(color) => void run(() => save({ color }))}
    />
  );
}

function Languages({ languages }: { languages: readonly string[] }) {
  const { saved, error, run } = useSaving();
  const [first] = languages;
  const options = [...new Set([...languages, ...offeredLanguages])].map((value) => ({
    value,
    label: languageName(value),
  }));
  const change = (next: string[]) =>
    run(async () => {
      if (next.length === 0) throw new ExplainedError(t('knowledge.help.languageNeeded'));
      await save({ languages: next });
    });
  return (
    <>
      <ChipPicker
        label={t('knowledge.help.shownLanguages')}
        options={options}
        chosen={languages}
        none=""
        saved={<SavedMark saved={saved} />}
        onChange={(next) => void change(next)}
      />
      {error && (
        <p role="alert" className="text-danger">
          {error}
        </p>
      )}
      {languages.length > 1 && (
        <SavedSelect
          label={t('knowledge.help.defaultLanguage')}
          hint={t('knowledge.help.defaultLanguageHint')}
          value={first}
          options={languages.map((value) => ({ value, label: languageName(value) }))}
          onSave={(next) => save({ languages: [next, ...languages.filter((one) => one !== next)] })}
        />
      )}
    </>
  );
}
