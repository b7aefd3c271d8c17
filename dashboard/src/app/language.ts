/** The user's language: what they chose, on any device; otherwise the browser's preference. */
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

/** Once per sign-in: a choice on another device must not switch this page while the user is writing. */
let followed = '';
function followUser(): void {
  const state = sessionState();
  const id = state.kind === 'signedIn' ? state.signedIn.user.id : '';
  if (id === followed) return;
  followed = id;
  const wanted = state.kind === 'signedIn' ? state.signedIn.user.language : null;
  if (!wanted) return;
  remember('language', wanted);
  // If it cannot be loaded, the page keeps its language.
  show(wanted).catch(() => {});
}

/** One after the other: the later of two choices wins, no matter which loads first. */
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
