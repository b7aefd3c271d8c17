/** The settings of the help center. Each is saved as it is changed. */
import type { HelpCenter, HelpCenterUpdate } from '../../../../contract/help-center.ts';
import { limits } from '../../../../contract/limits.ts';
import { api } from '../../data/api.ts';
import { ApiError, ExplainedError } from '../../data/errors.ts';
import { useChannels } from '../../data/queries.ts';
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
import { contrast } from './contrast.ts';
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
  const { enabled, slug, name, homeText, homeTexts } = helpCenter;
  const others = helpCenter.languages.slice(1);
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
        <Color value={helpCenter.color} name={name} />
        <HelpCenterLogo fileKey={helpCenter.logoFileKey} onSave={save} />
        <SavedText
          label={t('knowledge.help.homeText')}
          hint={others.length > 0 ? t('knowledge.help.homeTextDefault') : t('knowledge.help.homeTextHint')}
          lines={{ min: 3, max: 12 }}
          value={homeText}
          maxLength={limits.helpHomeLength}
          onSave={(next) => save({ homeText: next })}
        />
        {others.map((language) => (
          <SavedText
            key={language}
            label={t('knowledge.help.homeTextIn', { language: languageName(language) })}
            lines={{ min: 3, max: 12 }}
            value={homeTexts[language] ?? ''}
            maxLength={limits.helpHomeLength}
            onSave={(next) => save({ homeTexts: { ...homeTexts, [language]: next } })}
          />
        ))}
      </Part>
      <Part title={t('knowledge.help.languages')} text={t('knowledge.help.languagesText')}>
        <Languages languages={helpCenter.languages} />
      </Part>
      <Contact chosen={helpCenter.contactChannelId} />
    </div>
  );
}

/** Beside each other in light and dark: the bar has to be seen on both. */
const papers = ['#ffffff', '#131417'] as const;
/** Less, and the bar is one with the page. */
const seen = 1.2;

function Color({ value, name }: { value: string; name: string }) {
  const { saved, error, run } = useSaving();
  const ink = contrast(value, '#000000') > contrast(value, '#ffffff') ? '#000000' : '#ffffff';
  const isFaint = papers.some((paper) => contrast(value, paper) < seen);
  return (
    <>
      <ColorField
        label={t('knowledge.help.color')}
        hint={t('knowledge.help.colorHint')}
        wrong={t('knowledge.help.colorWrong')}
        error={error}
        saved={saved}
        value={value}
        onSave={(color) => void run(() => save({ color }))}
      />
      <div
        aria-hidden
        className="-mt-2 truncate rounded-control border border-line px-3 py-2 font-medium"
        style={{ backgroundColor: value, color: ink }}
      >
        {name}
      </div>
      {isFaint && <p className="-mt-2 text-sm text-warning">{t('knowledge.help.colorFaint')}</p>}
    </>
  );
}

const firstChannel = 'first';

/** Nothing to choose while there is one chat at most. */
function Contact({ chosen }: { chosen: string | null }) {
  const channels = useChannels().filter(({ type }) => type === 'web');
  if (channels.length < 2) return null;
  return (
    <Part title={t('knowledge.help.contact')} text={t('knowledge.help.contactText')}>
      <SavedSelect
        label={t('knowledge.help.contactChannel')}
        value={chosen ?? firstChannel}
        options={[
          { value: firstChannel, label: t('knowledge.help.contactFirst') },
          ...channels.map(({ id, name, enabled }) => ({
            value: id,
            label: enabled ? name : t('knowledge.help.contactOff', { name }),
          })),
        ]}
        onSave={(next) => save({ contactChannelId: next === firstChannel ? null : next })}
      />
    </Part>
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
