import { useState } from 'react';
import { ApiError, describeError } from '../data/errors.ts';
import { t } from '../texts/texts.ts';

/** One request of a form: whether it runs, and what went wrong. `words` explains a known answer. */
export function useSubmit(send: () => Promise<void>, words: (error: ApiError) => string | null = () => null) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const submit = async () => {
    if (busy) return;
    setBusy(true);
    setError('');
    try {
      await send();
    } catch (failure) {
      const explained = failure instanceof ApiError ? words(failure) : null;
      setError(explained ?? describeError(failure).text);
    } finally {
      setBusy(false);
    }
  };
  return { submit: () => void submit(), busy, error };
}

/** The token of a link, behind the #. */
export const linkToken = () => location.hash.slice(1);

/** The answer to a link that no longer works. */
export const linkWords = ({ message }: ApiError): string | null =>
  message === 'the link has expired or was used already' ? t('signIn.linkEnded') : null;
