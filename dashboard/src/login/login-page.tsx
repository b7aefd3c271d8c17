import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { KeyRound } from 'lucide-react';
import { lazy, Suspense, useEffect, useState } from 'react';
import type { FactorRequired } from '../../../contract/sign-in/second-factors.ts';
import type { SignInMethods } from '../../../contract/sign-in/sign-in.ts';
import { resumeSession, useSessionState } from '../data/session.ts';
import { signIn } from '../data/sign-in.ts';
import { passkeysWork } from '../security/passkey.ts';
import { t, withTexts } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { TextField } from '../ui/controls/text-field.tsx';
import { OrPassword, Problem, ProviderLink, PublicPage } from './public-page.tsx';
import { signInMethodsQuery } from './sign-in-data.ts';
import { usePasskeySignIn } from './use-passkey-sign-in.ts';
import { useSubmit } from './use-submit.ts';

/** If the service does not say. */
const passwordOnly: SignInMethods = { password: true, passwordReset: false, provider: null };

const FactorStep = lazy(withTexts('security', () => import('../security/factor-step.tsx')));

export function LoginPage() {
  const session = useSessionState();
  const navigate = useNavigate();
  const { history } = useRouter();
  const { next, signedIn, error: refusal } = useSearch({ from: '/login' });
  const methods = useQuery(signInMethodsQuery);
  const known = methods.data ?? (methods.isError ? passwordOnly : null);
  const resume = useResume(signedIn === true);
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [asked, setAsked] = useState<FactorRequired | null>(null);
  const form = useSubmit(
    async () => setAsked(await signIn(email, password)),
    ({ status }) => (status === 401 ? t('login.wrong') : status === 429 ? t('login.limited') : null),
  );
  const passkey = usePasskeySignIn();
  useEffect(() => {
    if (session.kind !== 'signedIn') return;
    // With its query string: `to` accepts only paths.
    if (next) history.replace(`/app${next}`);
    else void navigate({ to: '/', replace: true });
  }, [session.kind, navigate, history, next]);

  const shown = form.error || passkey.error;
  const refused = shown ? '' : resume.error || (refusal && !signedIn ? t(`login.error.${refusal}`) : '');
  const ended = session.kind === 'signedOut' && session.ended && !shown && !refused && !signedIn;
  if (asked && session.kind !== 'signedIn') {
    const startAgain = () => {
      setAsked(null);
      setPassword('');
    };
    return (
      <main className="flex h-full items-start justify-center overflow-y-auto bg-canvas px-4 pt-[16vh]">
        <Suspense>
          <FactorStep asked={asked} onBack={startAgain} />
        </Suspense>
      </main>
    );
  }
  if (!known || resume.busy) {
    return (
      <PublicPage title={t('login.title')}>
        <p role="status" className="text-muted">
          {resume.busy ? t('login.finishing') : t('ui.loading')}
        </p>
      </PublicPage>
    );
  }
  const { provider } = known;
  return (
    <PublicPage title={t('login.title')} onSubmit={known.password ? form.submit : undefined}>
      {ended && (
        <p role="status" className="rounded-control bg-warning-soft px-3 py-2 text-warning">
          {t('login.ended')}
        </p>
      )}
      {provider && (
        <ProviderLink href={next ? `${provider.url}?${new URLSearchParams({ next })}` : provider.url}>
          {t('login.with', { name: provider.name })}
        </ProviderLink>
      )}
      <Problem text={refused} />
      {provider && known.password && <OrPassword />}
      {known.password && (
        <>
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
          <TextField
            label={t('login.password')}
            type="password"
            name="password"
            autoComplete="current-password"
            required
            value={password}
            onChange={setPassword}
            className="h-9"
          />
        </>
      )}
      <Problem text={shown} />
      {known.password && (
        <>
          <Button type="submit" tone="primary" size="large" busy={form.busy}>
            {t('login.submit')}
          </Button>
          {passkeysWork() && (
            <Button size="large" icon={<KeyRound className="size-4" />} onClick={passkey.enter}>
              {t('login.passkey')}
            </Button>
          )}
          <Link to="/forgot-password" className="w-fit text-muted underline hover:text-ink">
            {t('login.forgot')}
          </Link>
          {!provider && <p className="mt-2 text-pretty text-muted">{t('login.firstHint')}</p>}
        </>
      )}
    </PublicPage>
  );
}

/** Once, after the provider has sent the browser back. */
function useResume(isWanted: boolean): { busy: boolean; error: string } {
  const [busy, setBusy] = useState(isWanted);
  const [error, setError] = useState('');
  const session = useSessionState();
  useEffect(() => {
    if (!isWanted || session.kind === 'signedIn') return;
    resumeSession()
      .catch(() => setError(t('login.error.unavailable')))
      .finally(() => setBusy(false));
  }, [isWanted, session.kind]);
  const isLost = isWanted && !busy && session.kind === 'signedOut';
  return {
    busy: busy && session.kind !== 'signedIn',
    error: error || (isLost ? t('login.error.expired') : ''),
  };
}
