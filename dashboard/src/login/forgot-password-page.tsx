import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { t } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { TextField } from '../ui/controls/text-field.tsx';
import { Problem, ProviderLink, PublicPage } from './public-page.tsx';
import { callPublic, signInMethodsQuery } from './sign-in-data.ts';
import { useSubmit } from './use-submit.ts';

export function ForgotPasswordPage() {
  const methods = useQuery(signInMethodsQuery);
  const [email, setEmail] = useState('');
  const [isSent, setSent] = useState(false);
  const { submit, busy, error } = useSubmit(async () => {
    await callPublic('/auth/password-reset', { email });
    setSent(true);
  });
  const back = (
    <Link to="/login" className="w-fit text-muted underline hover:text-ink">
      {t('signIn.back')}
    </Link>
  );
  if (isSent) {
    return (
      <PublicPage title={t('signIn.forgot')} text={<span role="status">{t('signIn.forgotSent')}</span>}>
        {back}
      </PublicPage>
    );
  }
  // There are no passwords.
  const provider = methods.data?.provider;
  if (methods.data && !methods.data.password && provider) {
    return (
      <PublicPage title={t('signIn.forgot')} text={t('signIn.forgotProvider', { name: provider.name })}>
        <ProviderLink href={provider.url}>{t('login.with', { name: provider.name })}</ProviderLink>
        {back}
      </PublicPage>
    );
  }
  // An administrator creates the link where there is no mail.
  if (methods.data && !methods.data.passwordReset) {
    return (
      <PublicPage title={t('signIn.forgot')} text={t('signIn.forgotAsk')}>
        {back}
      </PublicPage>
    );
  }
  return (
    <PublicPage title={t('signIn.forgot')} text={t('signIn.forgotText')} onSubmit={submit}>
      <TextField
        label={t('login.email')}
        type="email"
        name="email"
        autoComplete="username"
        autoFocus
        required
        value={email}
        onChange={setEmail}
        className="h-9"
      />
      <Problem text={error} />
      <Button type="submit" tone="primary" size="large" busy={busy}>
        {t('signIn.sendLink')}
      </Button>
      {back}
    </PublicPage>
  );
}
