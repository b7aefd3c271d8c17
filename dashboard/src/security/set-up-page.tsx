/** For a person whose workspace requires a second factor: nothing else is possible before. */
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useSessionState } from '../data/session.ts';
import { signOut } from '../data/sign-in.ts';
import { t } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { OwnFactors } from './own-factors.tsx';

export function SetUpPage() {
  const session = useSessionState();
  const navigate = useNavigate();
  const isDone = session.kind === 'signedIn' && !session.signedIn.mustSetUpFactor;
  const isOut = session.kind === 'signedOut';
  useEffect(() => {
    document.title = t('security.required');
  }, []);
  useEffect(() => {
    if (isDone) void navigate({ to: '/', replace: true });
    if (isOut) void navigate({ to: '/login', replace: true });
  }, [isDone, isOut, navigate]);
  if (session.kind !== 'signedIn') return null;
  return (
    <main className="h-full overflow-y-auto bg-canvas px-4 py-[8vh]">
      <div className="mx-auto flex max-w-[560px] flex-col gap-6">
        <header>
          <img src="/app/favicon.svg" alt="" className="mb-5 size-9" />
          <h1 className="text-xl font-semibold tracking-tight">{t('security.required')}</h1>
          <p className="mt-1 text-muted">{t('security.requiredText')}</p>
        </header>
        <OwnFactors />
        <Button tone="quiet" className="self-start" onClick={() => void signOut()}>
          {t('security.signOut')}
        </Button>
      </div>
    </main>
  );
}
