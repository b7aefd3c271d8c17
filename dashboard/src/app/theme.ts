import { useSyncExternalStore } from 'react';

export type Theme = 'light' | 'dark' | 'system';
const key = 'talkboard.theme';
const system = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

export const chosenTheme = (): Theme => (localStorage.getItem(key) as Theme | null) ?? 'system';

function show() {
  const chosen = chosenTheme();
  const dark = chosen === 'dark' || (chosen === 'system' && system.matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  for (const listener of listeners) listener();
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem(key, theme);
  show();
}

export function startTheme(): void {
  system.addEventListener('change', show);
  addEventListener('storage', (event) => event.key === key && show());
  show();
}

const listen = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};
export const useTheme = () => useSyncExternalStore(listen, chosenTheme);
export const isDark = () => document.documentElement.dataset.theme === 'dark';
/** Also when the system changes it: for what is drawn and does not follow the style sheet. */
export const useIsDark = () => useSyncExternalStore(listen, isDark);
