import { type FormEvent, useState } from 'react';
import type { Static } from 'typebox';
import type { MeAnswer } from '../../../../contract/accounts.ts';
import { limits } from '../../../../contract/limits.ts';
import { chooseLanguage, useLanguage } from '../../app/language.ts';
import { chooseTheme, type Theme, useTheme } from '../../app/theme.ts';
import { api } from '../../data/api.ts';
import { ApiError, describeError } from '../../data/errors.ts';
import { keys } from '../../data/queries.ts';
import { changeUser, useSignedIn } from '../../data/session.ts';
import { type Language, languages } from '../../texts/languages.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Segmented } from '../../ui/controls/segmented.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { Avatar } from '../../ui/display/avatar.tsx';
import { Badge } from '../../ui/display/badge.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { SavedText } from '../parts/saved-fields.tsx';
import { Part, Section } from '../parts/section.tsx';
import { choiceOf, useRoleOptions } from '../roles/roles-data.ts';
import { reload, settingsKeys } from '../settings-data.ts';
import { LoginSessions } from './login-sessions.tsx';
import { UndoSendSetting } from './undo-send-setting.tsx';

export default function ProfileSettings() {
  const { user } = useSignedIn();
  const choice = choiceOf({ role: user.role, roleId: user.roleId ?? null });
  // Until the roles of the account are loaded, nothing wrong is shown.
  const roleName = useRoleOptions().find(({ value }) => value === choice)?.label ?? '…';
  const theme = useTheme();
  const language = useLanguage();
  const rename = async (name: string) => {
    const me = await api<Static<typeof MeAnswer>>('PATCH', '/auth/me', { body: { name } });
    changeUser({ name: me.user.name });
    await reload(keys.users);
  };
  return (
    <Section title={t('settings.profile')} description={t('profile.text')}>
      <div className="flex items-center gap-3">
        <Avatar id={user.id} name={user.name} size="large" tip={false} />
        <div className="min-w-0">
          <p className="flex items-center gap-2 font-medium">
            <span className="truncate">{user.name}</span>
            <Badge>{roleName}</Badge>
          </p>
          <p className="truncate text-muted">{user.email}</p>
        </div>
      </div>
      <SavedText
        label={t('profile.name')}
        value={user.name}
        required
        maxLength={limits.nameLength}
        onSave={rename}
      />
      <div className="flex flex-col items-start gap-1">
        <span className="font-medium">{t('theme.label')}</span>
        <Segmented<Theme>
          label={t('theme.label')}
          value={theme}
          onChange={chooseTheme}
          segments={[
            { value: 'light', label: t('theme.light') },
            { value: 'dark', label: t('theme.dark') },
            { value: 'system', label: t('theme.system') },
          ]}
        />
      </div>
      <div className="flex flex-col items-start gap-1">
        <span className="font-medium">{t('language.label')}</span>
        <Segmented<Language>
          label={t('language.label')}
          value={language}
          onChange={(next) => void chooseLanguage(next)}
          segments={(Object.keys(languages) as Language[]).map((value) => ({
            value,
            label: languages[value],
          }))}
        />
      </div>
      <UndoSendSetting />
      <Part title={t('profile.password')} text={t('profile.passwordText')}>
        <PasswordForm email={user.email} />
      </Part>
      <LoginSessions />
    </Section>
  );
}

function PasswordForm({ email }: { email: string }) {
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<{ field: 'current' | 'next'; text: string } | null>(null);
  const { min } = limits.passwordLength;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (next.length < min) return setError({ field: 'next', text: t('profile.tooShort', { min }) });
    setBusy(true);
    setError(null);
    try {
      await api('POST', '/auth/password', { body: { currentPassword: current, newPassword: next } });
      setCurrent('');
      setNext('');
      toast.done(t('profile.passwordChanged'));
      // The other sessions have ended with it.
      await reload(settingsKeys.loginSessions);
    } catch (failure) {
      const refused = (field: string) => failure instanceof ApiError && failure.message.startsWith(field);
      setError({
        field: refused('newPassword') ? 'next' : 'current',
        text: refused('currentPassword') ? t('profile.wrongPassword') : describeError(failure).text,
      });
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      {/* Lets a password manager know whose password it is. */}
      <input type="text" autoComplete="username" value={email} readOnly hidden />
      <TextField
        label={t('profile.currentPassword')}
        error={error?.field === 'current' ? error.text : undefined}
        type="password"
        autoComplete="current-password"
        value={current}
        onChange={setCurrent}
      />
      <TextField
        label={t('profile.newPassword')}
        hint={t('profile.newPasswordHint', { min })}
        error={error?.field === 'next' ? error.text : undefined}
        type="password"
        autoComplete="new-password"
        value={next}
        onChange={setNext}
      />
      <Button type="submit" className="self-start" busy={busy} disabled={!current || !next}>
        {t('profile.changePassword')}
      </Button>
    </form>
  );
}
