/**
 * The theme of this person, on every device. A copy in this browser serves the first paint (public/early.js), which
 * happens before it is known who is signed in.
 */
import { useSyncExternalStore } from 'react';
import { type ThemeName, themes } from '../../../contract/limits.ts';
import { api } from '../data/api.ts';
import { changeUser, onSession, sessionState } from '../data/session.ts';
import { t } from '../texts/texts.ts';
import { toast } from '../ui/overlays/toast.tsx';
import { recall, remember } from './remembered.ts';

export type Theme = ThemeName;
const key = 'talkboard.theme';
const system = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

function chosenTheme(): Theme {
  const kept = localStorage.getItem(key);
  return themes.find((theme) => theme === kept) ?? 'system';
}

function show() {
  const chosen = chosenTheme();
  const dark = chosen === 'dark' || (chosen === 'system' && system.matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  for (const listener of listeners) listener();
}

function showHere(theme: Theme): void {
  localStorage.setItem(key, theme);
  show();
}

/** One after the other: the later of two choices wins. */
let saved: Promise<void> = Promise.resolve();
function save(theme: Theme): void {
  const run = async () => {
    await api('PATCH', '/auth/me', { body: { theme } });
    changeUser({ theme });
  };
  saved = saved.then(run).catch((error) => void toast.failed(t('theme.failed'), error));
}

export function chooseTheme(theme: Theme): void {
  showHere(theme);
  if (sessionState().kind === 'signedIn') save(theme);
}

/** Once for each sign-in, as the language does. */
let followed = '';
function followUser(): void {
  const state = sessionState();
  const id = state.kind === 'signedIn' ? state.signedIn.user.id : '';
  if (id === followed) return;
  followed = id;
  if (state.kind !== 'signedIn') return;
  const { theme } = state.signedIn.user;
  const isFirstTimeHere = recall<unknown>('theme-user', null) === null;
  remember('theme-user', id);
  // Keeps a choice that was made before themes were stored per user.
  if (isFirstTimeHere && theme === 'system' && chosenTheme() !== 'system') save(chosenTheme());
  else if (theme !== chosenTheme()) showHere(theme);
}

export function startTheme(): void {
  system.addEventListener('change', show);
  addEventListener('storage', (event) => event.key === key && show());
  show();
  onSession(followUser);
}

const listen = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};
export const useTheme = () => useSyncExternalStore(listen, chosenTheme);
export const isDark = () => document.documentElement.dataset.theme === 'dark';
/** Also when the system theme changes, for canvas drawings that do not follow the style sheet. */
export const useIsDark = () => useSyncExternalStore(listen, isDark);
