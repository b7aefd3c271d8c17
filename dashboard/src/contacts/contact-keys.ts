/** The keyboard in the list of contacts: one tab stop; j, k and the arrows move, Enter opens. */
import { type KeyboardEvent, useEffect, useState } from 'react';
import type { Contact } from '../../../contract/contacts.ts';
import { useShortcut } from '../app/shortcuts.tsx';
import { t } from '../texts/texts.ts';

export interface ContactKeys {
  /** Of the row with the focus; -1: none had it yet. */
  at: number;
  onFocus(id: string): void;
  onKeyDown(event: KeyboardEvent<HTMLElement>): void;
  /** The arrow leads from the search field into the list. */
  fromSearch(event: KeyboardEvent<HTMLElement>): void;
}

export function useContactKeys(contacts: readonly Contact[]): ContactKeys {
  const [focused, setFocused] = useState<string | null>(null);
  const [wanted, setWanted] = useState<string | null>(null);
  const at = contacts.findIndex(({ id }) => id === focused);
  // After the row was drawn.
  useEffect(() => {
    if (wanted === null) return;
    document.querySelector<HTMLElement>(`[data-contact="${CSS.escape(wanted)}"]`)?.focus();
    setWanted(null);
  }, [wanted]);
  const goTo = (next: number) => {
    const contact = contacts[Math.max(0, Math.min(contacts.length - 1, next))];
    if (!contact) return;
    setFocused(contact.id);
    setWanted(contact.id);
  };
  useShortcut('j', () => goTo(at + 1), { label: t('contacts.keys.next'), group: 'list' });
  useShortcut('k', () => goTo(at - 1), { label: t('contacts.keys.previous'), group: 'list' });
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.key === 'ArrowDown') goTo(at + 1);
    else if (event.key === 'ArrowUp') goTo(at - 1);
    else if (event.key === 'Home') goTo(0);
    else if (event.key === 'End') goTo(contacts.length - 1);
    else return;
    event.preventDefault();
  };
  const fromSearch = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key !== 'ArrowDown' && event.key !== 'Enter') return;
    event.preventDefault();
    goTo(0);
  };
  return { at, onFocus: setFocused, onKeyDown, fromSearch };
}
