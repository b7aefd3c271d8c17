/** A choice of this person in this browser: the width of a pane, the folded rail, the last board. */
import { useState } from 'react';

export function recall<T>(name: string, fallback: T): T {
  try {
    const text = localStorage.getItem(`talkboard.${name}`);
    return text === null ? fallback : (JSON.parse(text) as T);
  } catch {
    return fallback;
  }
}

export function remember(name: string, value: unknown): void {
  try {
    localStorage.setItem(`talkboard.${name}`, JSON.stringify(value));
  } catch {
    // A full or forbidden storage costs only the memory of it.
  }
}

export function useRemembered<T>(name: string, fallback: T): [T, (value: T) => void] {
  const [value, setValue] = useState(() => recall(name, fallback));
  return [
    value,
    (next) => {
      remember(name, next);
      setValue(next);
    },
  ];
}
