/** A dialog that asks for the password, and for a factor if there is one, before a change of factors. */
import { type ReactNode, useState } from 'react';
import type { FactorKind, Factors } from '../../../contract/sign-in/second-factors.ts';
import { api } from '../data/api.ts';
import { ApiError, ExplainedError } from '../data/errors.ts';
import { useSignedIn } from '../data/session.ts';
import { FormDialog } from '../settings/parts/form-dialog.tsx';
import { t } from '../texts/texts.ts';
import { TextField } from '../ui/controls/text-field.tsx';
import { PasskeyNotUsed, passkeysWork } from './passkey.ts';
import { ProofFields, useProof } from './proof-fields.tsx';

export interface ConfirmPersonProps {
  factors: Factors;
  title: string;
  text: string;
  action: string;
  /** Whether the children have what they ask for. */
  ready?: boolean;
  /** Closes unless it throws. */
  onConfirm(body: object): Promise<unknown>;
  onClose(): void;
  children?: ReactNode;
}

export function ConfirmPerson(props: ConfirmPersonProps) {
  const { factors, title, text, action, ready = true, onConfirm, onClose, children } = props;
  const { user } = useSignedIn();
  const [password, setPassword] = useState('');
  const proof = useProof(kindsOf(factors));
  const submit = () =>
    explained(async () => {
      const answer = await proof.read(async () => {
        const { options } = await api<{ options: object }>('POST', '/auth/factors/passkey-options');
        return options;
      });
      await onConfirm({ ...(factors.needsPassword && { password }), ...answer });
    });
  return (
    <FormDialog
      title={title}
      description={text}
      action={action}
      ready={ready && (password !== '' || !factors.needsPassword) && proof.isReady}
      onSubmit={submit}
      onClose={onClose}
    >
      {children}
      {factors.needsPassword && (
        <>
          {/* Lets a password manager know whose password it is. */}
          <input type="text" autoComplete="username" value={user.email} readOnly hidden />
          <TextField
            label={t('security.password')}
            type="password"
            autoComplete="current-password"
            autoFocus={!children}
            value={password}
            onChange={setPassword}
          />
        </>
      )}
      <ProofFields proof={proof} />
    </FormDialog>
  );
}

function kindsOf({ totp, passkeys, recoveryCodesLeft }: Factors): FactorKind[] {
  const kinds: FactorKind[] = [];
  if (totp) kinds.push('totp');
  if (passkeys.length > 0 && passkeysWork()) kinds.push('passkey');
  if (recoveryCodesLeft > 0) kinds.push('recovery_code');
  return kinds;
}

/** The service's messages are English. */
export async function explained<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (failure) {
    if (failure instanceof PasskeyNotUsed) throw new ExplainedError(t('security.passkeyFailed'));
    if (failure instanceof ApiError && failure.status === 400) {
      if (failure.message.startsWith('password is')) throw new ExplainedError(t('security.wrongPassword'));
      if (failure.message.startsWith('code is')) throw new ExplainedError(t('security.wrongCode'));
    }
    throw failure;
  }
}
