/** The language of this person: what they chose here, otherwise what their browser asks for. */
import { useSyncExternalStore } from 'react';
import { isLanguage, type Language, preferredLanguage } from '../texts/languages.ts';
import { language, loadTexts, speak } from '../texts/texts.ts';
import { recall, remember } from './remembered.ts';

const listeners = new Set<() => void>();

function chosen(): Language {
  const kept = recall<unknown>('language', null);
  return isLanguage(kept) ? kept : preferredLanguage(navigator.languages);
}

/** Before anything is shown. */
export async function startLanguage(): Promise<void> {
  await speak(chosen());
  await loadTexts('first');
  addEventListener('storage', (event) => {
    if (event.key === 'talkboard.language') void show(chosen());
  });
}

let wanted: Language | null = null;
async function show(next: Language): Promise<void> {
  if ((wanted ?? language()) === next) return;
  wanted = next;
  await speak(next);
  // Two choices in a row: the later one holds, whichever is loaded first.
  if (wanted !== next) return;
  wanted = null;
  for (const listener of listeners) listener();
}

export async function chooseLanguage(next: Language): Promise<void> {
  remember('language', next);
  await show(next);
}

export const useLanguage = () =>
  useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, language);
