/** A second factor as a form: the code of the app, a recovery code, or a passkey. */
import { useState } from 'react';
import type { FactorKind } from '../../../contract/sign-in/second-factors.ts';
import { t } from '../texts/texts.ts';
import { Segmented } from '../ui/controls/segmented.tsx';
import { TextField } from '../ui/controls/text-field.tsx';
import { askPasskey } from './passkey.ts';

export interface Proof {
  kinds: readonly FactorKind[];
  kind: FactorKind | null;
  typed: string;
  isReady: boolean;
  choose(kind: FactorKind): void;
  type(text: string): void;
  /** What is sent. `options`: for a passkey. */
  read(options: () => Promise<object>): Promise<object>;
}

export function useProof(kinds: readonly FactorKind[]): Proof {
  const [chosen, setChosen] = useState<FactorKind | null>(null);
  const [typed, setTyped] = useState('');
  const kind = chosen ?? kinds[0] ?? null;
  return {
    kinds,
    kind,
    typed,
    isReady: kind === null || kind === 'passkey' || typed.trim() !== '',
    choose(next) {
      setChosen(next);
      setTyped('');
    },
    type: setTyped,
    async read(options) {
      if (kind === 'totp') return { code: typed.trim() };
      if (kind === 'recovery_code') return { recoveryCode: typed.trim() };
      return kind === 'passkey' ? { passkey: await askPasskey(await options()) } : {};
    },
  };
}

export function ProofFields({ proof, autoFocus }: { proof: Proof; autoFocus?: boolean }) {
  const { kinds, kind, typed, choose, type } = proof;
  const labels: { [kind in FactorKind]: string } = {
    totp: t('security.byCode'),
    passkey: t('security.byPasskey'),
    recovery_code: t('security.byRecovery'),
  };
  if (kind === null) return null;
  return (
    <>
      {kinds.length > 1 && (
        <div className="flex flex-col items-start gap-1">
          <span className="font-medium">{t('security.by')}</span>
          <Segmented<FactorKind>
            label={t('security.by')}
            value={kind}
            onChange={choose}
            segments={kinds.map((value) => ({ value, label: labels[value] }))}
          />
        </div>
      )}
      {kind === 'totp' && (
        <TextField
          key="code"
          label={t('security.code')}
          hint={t('security.codeHint')}
          autoComplete="one-time-code"
          inputMode="numeric"
          autoFocus={autoFocus}
          maxLength={7}
          mono
          value={typed}
          onChange={type}
        />
      )}
      {kind === 'recovery_code' && (
        <TextField
          key="recovery"
          label={t('security.recoveryCode')}
          autoComplete="off"
          spellCheck={false}
          autoFocus={autoFocus}
          maxLength={40}
          mono
          value={typed}
          onChange={type}
        />
      )}
    </>
  );
}
