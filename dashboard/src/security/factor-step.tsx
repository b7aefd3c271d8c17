/** The second step of signing in, after the right password. */
import { type FormEvent, useState } from 'react';
import type { FactorRequired } from '../../../contract/sign-in/second-factors.ts';
import { ApiError, describeError } from '../data/errors.ts';
import { signInBy } from '../data/sign-in.ts';
import { t } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { PasskeyNotUsed, passkeysWork } from './passkey.ts';
import { ProofFields, useProof } from './proof-fields.tsx';

export default function FactorStep({ asked, onBack }: { asked: FactorRequired; onBack(): void }) {
  const { ticket, factors, passkeyOptions } = asked;
  const proof = useProof(factors.filter((kind) => kind !== 'passkey' || passkeysWork()));
  const [error, setError] = useState('');
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!proof.isReady || busy) return;
    setBusy(true);
    setError('');
    try {
      const answer = await proof.read(async () => passkeyOptions ?? {});
      await signInBy('/auth/login/factor', { ticket, ...answer });
    } catch (failure) {
      setError(textOf(failure));
      setBusy(false);
    }
  };
  return (
    <form onSubmit={submit} className="w-full max-w-80">
      <img src="/app/favicon.svg" alt="" className="mb-5 size-9" />
      <h1 className="text-xl font-semibold tracking-tight">{t('security.stepTitle')}</h1>
      <p className="mb-6 text-muted">{t('security.stepText')}</p>
      <div className="flex flex-col gap-4">
        <ProofFields proof={proof} autoFocus />
        {error && (
          <p role="alert" className="rounded-control bg-danger-soft px-3 py-2 text-danger">
            {error}
          </p>
        )}
        <Button type="submit" tone="primary" size="large" busy={busy} disabled={!proof.isReady}>
          {proof.kind === 'passkey' ? t('security.usePasskey') : t('security.continue')}
        </Button>
        <Button tone="quiet" onClick={onBack}>
          {t('security.startAgain')}
        </Button>
      </div>
    </form>
  );
}

function textOf(failure: unknown): string {
  if (failure instanceof PasskeyNotUsed) return t('security.passkeyFailed');
  if (!(failure instanceof ApiError)) return describeError(failure).text;
  if (failure.status === 429) return t('login.limited');
  if (failure.status !== 401) return describeError(failure).text;
  return failure.message.startsWith('the ticket') ? t('security.ticketEnded') : t('security.wrongCode');
}
