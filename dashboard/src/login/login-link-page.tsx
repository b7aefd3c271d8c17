import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { signInWithLink } from '../data/sign-in.ts';
import { t } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { Problem, PublicPage } from './public-page.tsx';
import { linkToken, linkWords, useSubmit } from './use-submit.ts';

/** With a button: a program that only opens the address must not use the link up. */
export function LoginLinkPage() {
  const navigate = useNavigate();
  // Signing in changes the address.
  const [token] = useState(linkToken);
  const { submit, busy, error } = useSubmit(async () => {
    await signInWithLink(token);
    await navigate({ to: '/', replace: true });
  }, linkWords);
  return (
    <PublicPage title={t('login.title')} text={t('signIn.loginLinkText')} onSubmit={submit}>
      <Problem text={error} />
      <Button type="submit" tone="primary" size="large" busy={busy}>
        {t('login.submit')}
      </Button>
    </PublicPage>
  );
}
