/**
 * All keyboard shortcuts in one registry, so that the help can list those of the current page. The view that registered
 * a key last receives it.
 */
import { useLayoutEffect, useRef, useSyncExternalStore } from 'react';
import { t } from '../texts/texts.ts';

export type ShortcutGroup = 'general' | 'list' | 'board' | 'inbox' | 'reports';
export const groupTitles: { [group in ShortcutGroup]: () => string } = {
  general: () => t('shortcuts.general'),
  list: () => t('shortcuts.list'),
  board: () => t('shortcuts.board'),
  inbox: () => t('shortcuts.inbox'),
  reports: () => t('rail.reports'),
};

export interface Shortcut {
  /** `c`, `shift+arrowup`, `mod+k`, or `g i`: one after the other. */
  keys: string;
  label: string;
  group: ShortcutGroup;
  run(event: KeyboardEvent): void;
  /** Also while something is being typed. */
  whileTyping: boolean;
  /** Only listed: the part of the page that has the focus handles it. */
  isListedOnly: boolean;
  /** A letter that changes something at once: it counts only alone (`runCharacter`). */
  isChange: boolean;
}

let shortcuts: readonly Shortcut[] = [];
const listeners = new Set<() => void>();
const change = (next: readonly Shortcut[]) => {
  shortcuts = next;
  for (const listener of listeners) listener();
};

export interface ShortcutOptions {
  label: string;
  group: ShortcutGroup;
  enabled?: boolean;
  whileTyping?: boolean;
  isListedOnly?: boolean;
  isChange?: boolean;
}

export function useShortcut(
  keys: string,
  run: (event: KeyboardEvent) => void,
  options: ShortcutOptions,
): void {
  const { label, group, enabled = true, whileTyping = /mod\+/.test(keys) } = options;
  const { isListedOnly = false, isChange = false } = options;
  const current = useRef(run);
  current.current = run;
  // Before the page is shown, so that the key works as soon as it is visible.
  useLayoutEffect(() => {
    if (!enabled) return;
    const shortcut: Shortcut = {
      keys,
      label,
      group,
      whileTyping,
      isListedOnly,
      isChange,
      run: (event) => current.current(event),
    };
    change([...shortcuts, shortcut]);
    return () => change(shortcuts.filter((one) => one !== shortcut));
  }, [keys, label, group, enabled, whileTyping, isListedOnly, isChange]);
}

/** For a view that is being opened: runs the shortcut as soon as the view registers it. */
export function runWhenListed(keys: string, group: ShortcutGroup): void {
  const find = () => shortcuts.findLast((one) => one.keys === keys && one.group === group);
  const run = () => {
    const found = find();
    if (!found) return;
    stop();
    found.run(new KeyboardEvent('keydown', { key: keys }));
  };
  const stop = () => {
    clearTimeout(timer);
    listeners.delete(run);
  };
  const timer = setTimeout(stop, 5_000);
  listeners.add(run);
  run();
}

export const useShortcuts = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shortcuts,
  );

function nameOf(event: KeyboardEvent): string {
  const key = event.key.toLowerCase();
  const parts = [];
  // AltGr types a sign, such as `[`; Windows reports it as Ctrl and Alt.
  const isAltGr = event.getModifierState('AltGraph');
  if ((event.ctrlKey && !isAltGr) || event.metaKey) parts.push('mod');
  if (event.altKey && !isAltGr) parts.push('alt');
  // `?` already implies Shift.
  if (event.shiftKey && (key.length > 1 || /[a-z]/.test(key))) parts.push('shift');
  return [...parts, key === ' ' ? 'space' : key].join('+');
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
/** Menus and dialogs have keys of their own. */
const isElsewhere = (target: EventTarget | null) =>
  target instanceof Element &&
  target.closest('[role="menu"], [role="dialog"], [role="listbox"], [data-own-keys]') !== null;

let begun: { key: string; at: number } | null = null;

/**
 * People type whole sentences where no field has the focus. A letter that changes something therefore counts only alone:
 * no other one within a second before it, none shortly after it. Keys that move in a list are not typing. Anything else
 * that is pressed ends the wait at once, so that the change is made where it was asked for.
 */
const quietBeforeMs = 1_000;
const quietAfterMs = 250;
/** The last letter, and whether it was part of a sentence. */
let typed: { key: string; at: number; isTyped: boolean } | null = null;
let waiting: { key: string; run(): void; timer: ReturnType<typeof setTimeout> } | null = null;

function endWait(isRun: boolean): void {
  const ended = waiting;
  waiting = null;
  clearTimeout(ended?.timer);
  if (isRun) ended?.run();
}

function startWait(key: string, run: () => void): void {
  waiting = { key, run, timer: setTimeout(() => endWait(true), quietAfterMs) };
}

const isCharacter = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent) =>
  key.length === 1 && !ctrlKey && !metaKey && !altKey;
const isModifier = ({ key }: KeyboardEvent) => /^(Shift|Control|Alt|AltGraph|Meta|CapsLock|Dead)$/.test(key);

function otherInput(event: Event): void {
  if (event instanceof KeyboardEvent && (isCharacter(event) || isModifier(event))) return;
  endWait(true);
  typed = null;
}

/** A character outside of every field, with the shortcut that it has. */
function runCharacter(event: KeyboardEvent, key: string, found: Shortcut | undefined): void {
  if (found?.group === 'list' && !found.isChange) {
    endWait(true);
    found.run(event);
    return;
  }
  // The same key again, such as `e` for one conversation after the other, is no sentence by itself.
  const isTyped =
    typed !== null && (typed.key !== key || typed.isTyped) && event.timeStamp - typed.at < quietBeforeMs;
  typed = { key, at: event.timeStamp, isTyped };
  endWait(waiting?.key === key);
  if (!found?.isChange) found?.run(event);
  else if (!isTyped) startWait(key, () => found.run(event));
}

export function startShortcuts(): void {
  addEventListener('keydown', otherInput, true);
  addEventListener('pointerdown', otherInput, true);
  addEventListener('keydown', (event) => {
    if (
      event.defaultPrevented ||
      event.isComposing ||
      (event.repeat === true && !/^(j|k|arrow)/i.test(event.key))
    )
      return;
    if (isElsewhere(event.target)) return;
    const typing = isTyping(event.target);
    const name = nameOf(event);
    // By the time of the press: a busy page may handle the second key much later.
    const sequence = begun && event.timeStamp - begun.at < 1_000 ? `${begun.key} ${name}` : null;
    const usable = shortcuts.filter((one) => !one.isListedOnly && (!typing || one.whileTyping));
    const found =
      usable.findLast((one) => one.keys === sequence) ?? usable.findLast((one) => one.keys === name);
    begun = !found && !typing && name.length === 1 ? { key: name, at: event.timeStamp } : null;
    if (found) event.preventDefault();
    if (!typing && isCharacter(event)) runCharacter(event, name, found);
    else found?.run(event);
  });
}
