import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { limits } from '../../../contract/limits.ts';
import type { ProviderAddress } from '../../../contract/sign-in/sign-in.ts';
import { ApiError, describeError } from '../data/errors.ts';
import { signIn } from '../data/sign-in.ts';
import { t } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { TextField } from '../ui/controls/text-field.tsx';
import { OrPassword, Problem, PublicPage } from './public-page.tsx';
import { callPublic, invitationQuery, signInMethodsQuery } from './sign-in-data.ts';
import { linkToken, linkWords, useSubmit } from './use-submit.ts';

const { min } = limits.passwordLength;

export function InvitationPage() {
  const [token] = useState(linkToken);
  const methods = useQuery(signInMethodsQuery);
  const invitation = useQuery(invitationQuery(token));
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const email = invitation.data?.email ?? '';
  const { submit, busy, error } = useSubmit(async () => {
    await callPublic('/auth/invitations/accept', { token, name: name.trim(), password });
    try {
      await signIn(email, password);
    } catch {
      // They have joined, and the link is used up. The sign-in page says what is wrong.
      return navigate({ to: '/login', replace: true });
    }
    await navigate({ to: '/', replace: true });
  }, linkWords);
  const leaving = useSubmit(async () => {
    const { url } = await callPublic<ProviderAddress>('/auth/oidc/start', { invitation: token });
    location.assign(url);
  });

  const failure = invitation.error ?? methods.error;
  if (failure) {
    const text = (failure instanceof ApiError && linkWords(failure)) || describeError(failure).text;
    return (
      <PublicPage title={t('signIn.invitation')}>
        <Problem text={text} />
      </PublicPage>
    );
  }
  if (!invitation.data || !methods.data) {
    return (
      <PublicPage title={t('signIn.invitation')}>
        <p role="status" className="text-muted">
          {t('ui.loading')}
        </p>
      </PublicPage>
    );
  }
  const { accountName, invitedBy } = invitation.data;
  const { provider } = methods.data;
  return (
    <PublicPage
      title={t('signIn.join', { name: accountName })}
      text={t('signIn.joinText', { name: invitedBy, email })}
      onSubmit={methods.data.password ? submit : undefined}
    >
      {provider && (
        <>
          <Button
            size="large"
            tone={methods.data.password ? undefined : 'primary'}
            busy={leaving.busy}
            onClick={leaving.submit}
          >
            {t('login.with', { name: provider.name })}
          </Button>
          <Problem text={leaving.error} />
          {methods.data.password && <OrPassword />}
        </>
      )}
      {methods.data.password && (
        <>
          <TextField
            label={t('signIn.name')}
            name="name"
            autoComplete="name"
            autoFocus
            required
            maxLength={limits.nameLength}
            value={name}
            onChange={setName}
            className="h-9"
          />
          <TextField
            label={t('login.password')}
            hint={t('signIn.passwordHint', { min })}
            type="password"
            name="new-password"
            autoComplete="new-password"
            required
            value={password}
            onChange={setPassword}
            className="h-9"
          />
          <Problem text={error} />
          <Button
            type="submit"
            tone="primary"
            size="large"
            busy={busy}
            disabled={name.trim() === '' || password.length < min}
          >
            {t('signIn.accept')}
          </Button>
        </>
      )}
    </PublicPage>
  );
}
