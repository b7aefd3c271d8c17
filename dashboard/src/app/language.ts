/** The language of this person: what they chose, on whatever device; otherwise what their browser asks for. */
import { useSyncExternalStore } from 'react';
import { api } from '../data/api.ts';
import { changeUser, onSession, sessionState } from '../data/session.ts';
import { isLanguage, type Language, preferredLanguage } from '../texts/languages.ts';
import { language, loadTexts, speak, t } from '../texts/texts.ts';
import { toast } from '../ui/overlays/toast.tsx';
import { recall, remember } from './remembered.ts';

const listeners = new Set<() => void>();

function chosenHere(): Language {
  const kept = recall<unknown>('language', null);
  return isLanguage(kept) ? kept : preferredLanguage(navigator.languages);
}

/** Before anything is shown. */
export async function startLanguage(): Promise<void> {
  await speak(chosenHere());
  await loadTexts('first');
  addEventListener('storage', (event) => {
    if (event.key === 'talkboard.language') show(chosenHere()).catch(() => {});
  });
  onSession(followUser);
  followUser();
}

/** Once for each time of being signed in: a choice on another device must not take this page away while someone writes. */
let followed = '';
function followUser(): void {
  const state = sessionState();
  const id = state.kind === 'signedIn' ? state.signedIn.user.id : '';
  if (id === followed) return;
  followed = id;
  const wanted = state.kind === 'signedIn' ? state.signedIn.user.language : null;
  if (!wanted) return;
  remember('language', wanted);
  // When it cannot be loaded the page stays in the language it has.
  show(wanted).catch(() => {});
}

/** One after the other: of two choices in a row the later one holds, whichever is loaded first. */
let turn: Promise<void> = Promise.resolve();
function show(next: Language): Promise<void> {
  const change = async () => {
    if (language() === next) return;
    await speak(next);
    for (const listener of listeners) listener();
  };
  const shown = turn.then(change);
  turn = shown.catch(() => {});
  return shown;
}

export async function chooseLanguage(next: Language): Promise<void> {
  const before = language();
  try {
    await show(next);
    remember('language', next);
    if (sessionState().kind !== 'signedIn') return;
    await api('PATCH', '/auth/me', { body: { language: next } });
    changeUser({ language: next });
  } catch (error) {
    remember('language', before);
    await show(before);
    toast.failed(t('language.failed'), error);
  }
}

export const useLanguage = () =>
  useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, language);
