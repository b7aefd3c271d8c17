/** Ctrl-K: find records and conversations, navigate, run actions, all by keyboard. */
import { Search } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { type KeyboardEvent, useCallback, useId, useRef, useState } from 'react';
import { describeError } from '../data/errors.ts';
import { t, tn } from '../texts/texts.ts';
import { Spinner } from '../ui/controls/button.tsx';
import { Kbd } from '../ui/display/kbd.tsx';
import type { PaletteEntry } from './palette-entry.ts';
import type { PaletteActions } from './palette-fixed.tsx';
import { PaletteRow } from './palette-row.tsx';
import { usePalette } from './use-palette.ts';

interface PaletteProps extends PaletteActions {
  open: boolean;
  /** The focus is restored before the command runs. `text` was typed before the palette had loaded. */
  before: { focus: HTMLElement | null; text: string };
  /** The palette's field has the focus and what was typed before. */
  onReady(): void;
  onOpenChange(open: boolean): void;
}

export default function Palette({ open, onOpenChange, before, onReady, ...acts }: PaletteProps) {
  const [text, setText] = useState(before.text);
  const ready = useRef(onReady);
  // As soon as the field is rendered: later, letters would be lost between the two fields.
  const takeOver = useCallback(
    (field: HTMLInputElement | null) => {
      if (!field) return;
      field.focus();
      setText(before.text);
      ready.current();
    },
    [before],
  );
  const [chosenId, setChosenId] = useState<string | null>(null);
  const command = useRef<PaletteEntry | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const listId = useId();
  const { groups, isWaiting, error } = usePalette(text, acts);
  const entries = groups.flatMap((group) => group.entries);
  const at = Math.max(
    0,
    entries.findIndex(({ id }) => id === chosenId),
  );
  const idOf = (entry: PaletteEntry) => `${listId}-${entry.id.replace(/[^\w-]/g, '_')}`;

  const choose = (to: number) => {
    const next = entries[(to + entries.length) % Math.max(1, entries.length)];
    if (!next) return;
    setChosenId(next.id);
    document.getElementById(idOf(next))?.scrollIntoView({ block: 'nearest' });
  };
  const run = (entry: PaletteEntry | undefined) => {
    if (!entry) return;
    command.current = entry;
    onOpenChange(false);
  };
  const page = () => Math.max(1, Math.floor((list.current?.clientHeight ?? 320) / 40));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const { key } = event;
    if (key === 'ArrowDown') choose(at + 1);
    else if (key === 'ArrowUp') choose(at - 1);
    else if (key === 'PageDown') choose(Math.min(entries.length - 1, at + page()));
    else if (key === 'PageUp') choose(Math.max(0, at - page()));
    else if (key === 'Enter') run(entries[at]);
    else if ((event.ctrlKey || event.metaKey) && key.toLowerCase() === 'k') onOpenChange(false);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className="fade-in fixed inset-0 z-40 bg-scrim" />
        <Dialog.Content
          aria-describedby={undefined}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            before.focus?.focus();
            command.current?.run();
          }}
          className="rise-in fixed inset-x-0 top-[12vh] z-40 mx-auto flex max-h-[68vh] w-[calc(100vw-32px)] max-w-xl flex-col overflow-hidden rounded-panel bg-raised shadow-float outline-none max-sm:top-4 max-sm:max-h-[calc(100dvh-32px)]"
        >
          <Dialog.Title className="sr-only">{t('palette.label')}</Dialog.Title>
          <div className="flex h-12 shrink-0 items-center gap-2.5 border-b border-line px-4">
            {isWaiting ? (
              <Spinner className="size-4" />
            ) : (
              <Search aria-hidden className="size-4 text-faint" />
            )}
            <input
              ref={takeOver}
              role="combobox"
              aria-expanded
              aria-controls={listId}
              aria-activedescendant={entries[at] ? idOf(entries[at]) : undefined}
              aria-autocomplete="list"
              aria-label={t('palette.label')}
              autoComplete="off"
              spellCheck={false}
              placeholder={t('palette.placeholder')}
              value={text}
              data-quiet-focus=""
              onChange={(event) => {
                setText(event.target.value);
                setChosenId(null);
                list.current?.scrollTo(0, 0);
              }}
              onKeyDown={onKeyDown}
              className="h-full min-w-0 flex-1 bg-transparent text-md outline-none"
            />
          </div>
          <div
            ref={list}
            id={listId}
            role="listbox"
            aria-label={t('palette.results')}
            className="min-h-0 flex-1 overflow-y-auto p-1.5"
          >
            {groups.map((group) => (
              // biome-ignore lint/a11y/useSemanticElements: a group of options, not of fields
              <div key={group.id} role="group" aria-label={group.title}>
                <div aria-hidden className="px-2 pt-2 pb-1 text-sm font-medium text-faint">
                  {group.title}
                </div>
                {group.entries.map((entry) => (
                  <PaletteRow
                    key={entry.id}
                    entry={entry}
                    id={idOf(entry)}
                    isChosen={entry === entries[at]}
                    onChoose={() => run(entry)}
                    onPoint={() => setChosenId(entry.id)}
                  />
                ))}
              </div>
            ))}
          </div>
          {entries.length === 0 && !isWaiting && (
            <p className="px-4 pt-1 pb-6 text-center text-muted">
              {t('palette.empty', { text: text.trim() })}
            </p>
          )}
          {error !== null && error !== undefined && (
            <p role="alert" className="border-t border-line px-4 py-2 text-danger">
              {describeError(error).text}
            </p>
          )}
          <p aria-live="polite" className="sr-only">
            {!isWaiting && text.trim() !== '' && tn('palette.count', entries.length)}
          </p>
          <Hints />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Hints() {
  const hints = [
    ['arrowup arrowdown', t('palette.hint.move')],
    ['enter', t('palette.hint.open')],
    ['>', t('palette.hint.actions')],
    ['#', t('palette.hint.boards')],
    ['@', t('palette.hint.customers')],
  ] as const;
  return (
    <div
      aria-hidden
      className="flex shrink-0 flex-wrap gap-x-4 gap-y-1 border-t border-line px-4 py-2 text-sm text-faint max-sm:hidden"
    >
      {hints.map(([keys, label]) => (
        <span key={keys} className="flex items-center gap-1.5">
          <Kbd keys={keys} /> {label}
        </span>
      ))}
    </div>
  );
}
