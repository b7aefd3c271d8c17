/** A list above a text field that opens with a sign at the start of a word; the focus stays in the text. */
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useId, useState } from 'react';
import { cx } from '../../ui/class-names.ts';

export interface SuggestionsOptions<T> {
  /** `/` or `@`. */
  sign: string;
  label: string;
  /** Where nothing fits; null: then no list. */
  none: string | null;
  area: RefObject<HTMLTextAreaElement | null>;
  text: string;
  enabled: boolean;
  find(word: string): T[];
  keyOf(item: T): string;
  show(item: T): ReactNode;
  /** `typed`: how many letters before the caret it replaces. */
  onChoose(item: T, typed: number): void;
}

export interface Suggestions {
  list: ReactNode;
  inputProps: { [name: string]: string | boolean | undefined };
  /** True: it was a key of the list. */
  onKeyDown(event: KeyboardEvent): boolean;
}

export function useSuggestions<T>(options: SuggestionsOptions<T>): Suggestions {
  const { sign, label, none, area, text, enabled, find, keyOf, show, onChoose } = options;
  const listId = useId();
  const [at, setAt] = useState(0);
  const [closedFor, setClosedFor] = useState<string | null>(null);
  // The inserted text may start with the sign; no suggestions until the caret is behind it.
  const [isInserting, setIsInserting] = useState(false);
  const before = text.slice(0, area.current?.selectionStart ?? text.length);
  const word = enabled ? wordAfter(sign, before) : null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another word, another list
  useEffect(() => setAt(0), [word]);
  const isOpen = word !== null && closedFor !== before && !isInserting;
  const found = isOpen ? find(word.toLocaleLowerCase()).slice(0, 8) : [];
  const choose = (item: T) => {
    setIsInserting(true);
    onChoose(item, (word?.length ?? 0) + 1);
    requestAnimationFrame(() => setIsInserting(false));
  };

  const onKeyDown = (event: KeyboardEvent): boolean => {
    if (found.length === 0) return false;
    if (event.key === 'ArrowDown') setAt((at + 1) % found.length);
    else if (event.key === 'ArrowUp') setAt((at - 1 + found.length) % found.length);
    else if (event.key === 'Enter' || event.key === 'Tab') choose(found[at]!);
    else if (event.key === 'Escape') {
      setClosedFor(before);
      event.nativeEvent.stopImmediatePropagation();
    } else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  const shows = isOpen && (found.length > 0 || none !== null);
  return {
    onKeyDown,
    inputProps: shows
      ? {
          'aria-haspopup': 'listbox',
          'aria-controls': listId,
          'aria-autocomplete': 'list',
          'aria-activedescendant': found[at] === undefined ? undefined : `${listId}-${at}`,
        }
      : {},
    list: shows && (
      <div
        id={listId}
        role="listbox"
        aria-label={label}
        className="absolute bottom-full left-0 z-20 mb-1 max-h-72 w-96 max-w-full overflow-y-auto rounded-panel bg-raised p-1 shadow-float"
      >
        {found.map((item, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled by the text field that owns this list
          <div
            key={keyOf(item)}
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => choose(item)}
            onPointerMove={() => setAt(index)}
            className={cx('rounded-control px-2 py-1.5', index === at && 'bg-hover')}
          >
            {show(item)}
          </div>
        ))}
        {found.length === 0 && <p className="px-2 py-1.5 text-muted">{none}</p>}
      </div>
    ),
  };
}

/** Null: the caret is not in a word that starts with the sign. */
function wordAfter(sign: string, before: string): string | null {
  const start = before.lastIndexOf(sign);
  if (start < 0 || (start > 0 && !/\s/.test(before[start - 1]!))) return null;
  const word = before.slice(start + 1);
  return /\s/.test(word) ? null : word;
}
