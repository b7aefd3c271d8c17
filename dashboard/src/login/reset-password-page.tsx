import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { limits } from '../../../contract/limits.ts';
import { t } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { TextField } from '../ui/controls/text-field.tsx';
import { Problem, PublicPage } from './public-page.tsx';
import { callPublic } from './sign-in-data.ts';
import { linkToken, linkWords, useSubmit } from './use-submit.ts';

const { min } = limits.passwordLength;

export function ResetPasswordPage() {
  const [password, setPassword] = useState('');
  const [isDone, setDone] = useState(false);
  const { submit, busy, error } = useSubmit(async () => {
    await callPublic('/auth/password-reset/confirm', { token: linkToken(), password });
    setDone(true);
  }, linkWords);
  if (isDone) {
    return (
      <PublicPage title={t('signIn.reset')} text={<span role="status">{t('signIn.resetDone')}</span>}>
        <Link to="/login" className="w-fit underline hover:text-ink">
          {t('login.submit')}
        </Link>
      </PublicPage>
    );
  }
  return (
    <PublicPage title={t('signIn.reset')} text={t('signIn.resetText')} onSubmit={submit}>
      <TextField
        label={t('signIn.newPassword')}
        hint={t('signIn.passwordHint', { min })}
        type="password"
        name="new-password"
        autoComplete="new-password"
        autoFocus
        required
        value={password}
        onChange={setPassword}
        className="h-9"
      />
      <Problem text={error} />
      <Button type="submit" tone="primary" size="large" busy={busy} disabled={password.length < min}>
        {t('signIn.resetSubmit')}
      </Button>
    </PublicPage>
  );
}
