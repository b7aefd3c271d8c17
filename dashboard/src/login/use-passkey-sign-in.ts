import { useState } from 'react';
import { ApiError, describeError } from '../data/errors.ts';
import { passkeySignInOptions, signInBy } from '../data/sign-in.ts';
import { askPasskey, PasskeyNotUsed } from '../security/passkey.ts';
import { t } from '../texts/texts.ts';

/** Signs in with a passkey alone. */
export function usePasskeySignIn(): { enter(): void; error: string } {
  const [error, setError] = useState('');
  const enter = async () => {
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
  return { enter: () => void enter(), error };
}
