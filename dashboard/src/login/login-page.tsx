import { useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { KeyRound } from 'lucide-react';
import { type FormEvent, lazy, Suspense, useEffect, useState } from 'react';
import type { FactorRequired } from '../../../contract/sign-in/second-factors.ts';
import { ApiError, describeError } from '../data/errors.ts';
import { passkeySignInOptions, signIn, signInBy, useSessionState } from '../data/session.ts';
import { askPasskey, PasskeyNotUsed, passkeysWork } from '../security/passkey.ts';
import { t, withTexts } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { TextField } from '../ui/controls/text-field.tsx';

const FactorStep = lazy(withTexts('security', () => import('../security/factor-step.tsx')));

export function LoginPage() {
  const session = useSessionState();
  const navigate = useNavigate();
  const { history } = useRouter();
  const { next } = useSearch({ from: '/login' });
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [error, setError] = useState('');
  const [busy, setBusy] = useState(false);
  const [asked, setAsked] = useState<FactorRequired | null>(null);

  useEffect(() => {
    document.title = t('login.title');
  }, []);
  useEffect(() => {
    if (session.kind !== 'signedIn') return;
    // With its query string: `to` accepts only paths.
    if (next) history.replace(`/app${next}`);
    else void navigate({ to: '/', replace: true });
  }, [session.kind, navigate, history, next]);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError('');
    try {
      setAsked(await signIn(email, password));
    } catch (failure) {
      const status = failure instanceof ApiError ? failure.status : 0;
      setError(
        status === 401 ? t('login.wrong') : status === 429 ? t('login.limited') : describeError(failure).text,
      );
    } finally {
      setBusy(false);
    }
  };

  const enterWithPasskey = async () => {
    setError('');
    try {
      const options = await passkeySignInOptions();
      await signInBy('/auth/passkeys/sign-in', { passkey: await askPasskey(options) });
    } catch (failure) {
      const isRefused =
        failure instanceof PasskeyNotUsed || (failure instanceof ApiError && failure.status === 401);
      setError(isRefused ? t('login.passkeyFailed') : describeError(failure).text);
    }
  };

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
  return (
    <main className="flex h-full items-start justify-center overflow-y-auto bg-canvas px-4 pt-[16vh]">
      <form onSubmit={submit} className="w-full max-w-80">
        <img src="/app/favicon.svg" alt="" className="mb-5 size-9" />
        <h1 className="mb-6 text-xl font-semibold tracking-tight">{t('login.title')}</h1>
        {session.kind === 'signedOut' && session.ended && !error && (
          <p role="status" className="mb-4 rounded-control bg-warning-soft px-3 py-2 text-warning">
            {t('login.ended')}
          </p>
        )}
        <div className="flex flex-col gap-4">
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
          {error && (
            <p role="alert" className="rounded-control bg-danger-soft px-3 py-2 text-danger">
              {error}
            </p>
          )}
          <Button type="submit" tone="primary" size="large" busy={busy}>
            {t('login.submit')}
          </Button>
          {passkeysWork() && (
            <Button
              size="large"
              icon={<KeyRound className="size-4" />}
              onClick={() => void enterWithPasskey()}
            >
              {t('login.passkey')}
            </Button>
          )}
        </div>
        <p className="mt-6 text-pretty text-muted">{t('login.firstHint')}</p>
      </form>
    </main>
  );
}
