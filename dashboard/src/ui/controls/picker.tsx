/** A list to choose one or several from, narrowed by typing; for people, options and boards. */
import { Check, Minus } from 'lucide-react';
import {
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { t } from '../../texts/texts.ts';
import { cx } from '../class-names.ts';
import { Popover } from '../overlays/popover.tsx';
import { type Creates, newOption, optionsFor, usePointed, useScrolledTo } from './picker-options.tsx';
import type { Option } from './select.tsx';

export interface PickerListProps {
  label: string;
  typed?: string | undefined;
  options: readonly Option[];
  chosen: readonly string[];
  /** Of several objects, only some have these. */
  partly?: readonly string[];
  creates?: Creates;
  /** Instead of "nothing found" while there are no options. */
  empty?: string;
  autoFocus?: boolean;
  onToggle(value: string): void;
  /** Of one choice: Enter on what is chosen already, before anything was moved or typed. */
  onKeep?(): void;
}

export interface PickerProps extends Omit<PickerListProps, 'onToggle' | 'onKeep' | 'partly' | 'autoFocus'> {
  trigger: ReactElement;
  /** Several may be chosen; otherwise choosing closes. */
  several?: boolean;
  onChange(chosen: string[]): void;
  align?: 'start' | 'center' | 'end';
  footer?: ReactNode;
  open?: boolean;
  onOpenChange?(open: boolean): void;
}

export function Picker({
  trigger,
  label,
  options,
  chosen,
  several,
  creates,
  empty,
  onChange,
  align,
  footer,
  typed,
  open,
  onOpenChange,
}: PickerProps) {
  const [ownOpen, setOwnOpen] = useState(false);
  const isOpen = open ?? ownOpen;
  const setOpen = onOpenChange ?? setOwnOpen;
  // A click may come before the one before it is drawn: it adds to what was chosen, not to what is shown.
  const latest = useRef(chosen);
  useLayoutEffect(() => {
    latest.current = chosen;
  });
  const change = (next: string[]) => {
    latest.current = next;
    onChange(next);
  };
  return (
    <Popover
      trigger={trigger}
      align={align}
      open={isOpen}
      onOpenChange={setOpen}
      className="w-60"
      label={label}
    >
      <PickerList
        label={label}
        typed={typed}
        options={options}
        chosen={chosen}
        creates={creates}
        empty={empty}
        onKeep={several ? undefined : () => setOpen(false)}
        onToggle={(value) => {
          const now = latest.current;
          if (several) change(now.includes(value) ? now.filter((one) => one !== value) : [...now, value]);
          else {
            change(now.includes(value) ? [] : [value]);
            setOpen(false);
          }
        }}
      />
      {footer && <div className="border-t border-line p-1">{footer}</div>}
    </Popover>
  );
}

export function PickerList({
  label,
  typed = '',
  options,
  chosen,
  partly = [],
  creates,
  empty,
  autoFocus,
  onToggle,
  onKeep,
}: PickerListProps) {
  const [text, setText] = useState(typed);
  const [start] = useState(() =>
    onKeep && typed === '' ? options.findIndex(({ value }) => chosen.includes(value)) : -1,
  );
  const listId = useId();
  const input = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const name = text.trim();
  const shown = useMemo(() => optionsFor(options, name, creates), [options, name, creates]);
  // A dialog takes the focus when it opens; the field follows.
  useEffect(() => {
    if (!autoFocus) return;
    const frame = requestAnimationFrame(() => input.current?.focus());
    return () => cancelAnimationFrame(frame);
  }, [autoFocus]);
  useScrolledTo(list, start);
  const { at, isMoved, point } = usePointed(shown, start);
  const choose = (value: string) => {
    if (value === newOption) creates?.run(name);
    else onToggle(value);
    if (value === newOption) setText('');
  };
  const move = (to: number) => {
    const next = Math.max(0, Math.min(shown.length - 1, to));
    point(next, true);
    list.current?.children[next]?.scrollIntoView({ block: 'nearest' });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') move(at + 1);
    else if (event.key === 'ArrowUp') move(at - 1);
    else if (event.key === 'Enter' && onKeep && at === start && !isMoved.current) onKeep();
    else if (event.key === 'Enter' && shown[at]) choose(shown[at].value);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <input
        ref={input}
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={shown[at] ? `${listId}-${at}` : undefined}
        aria-label={label}
        placeholder={label}
        value={text}
        maxLength={creates?.maxLength}
        data-quiet-focus=""
        onChange={(event) => {
          setText(event.target.value);
          point(0);
        }}
        onKeyDown={onKeyDown}
        className="h-9 w-full border-b border-line bg-transparent px-3 outline-none"
      />
      <div
        ref={list}
        id={listId}
        role="listbox"
        aria-label={label}
        aria-multiselectable
        className="max-h-64 overflow-y-auto p-1"
      >
        {shown.map((option, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled by the combobox that owns this list
          <div
            key={option.value}
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={chosen.includes(option.value)}
            onClick={() => choose(option.value)}
            onPointerMove={() => point(index)}
            className={cx(
              'flex h-7 items-center gap-2 rounded-control px-2',
              index === at && 'bg-hover',
              'hover:bg-hover',
            )}
          >
            {option.mark}
            <span className="min-w-0 flex-1 truncate">{option.label}</span>
            {chosen.includes(option.value) && <Check className="size-3.5 shrink-0 text-accent-ink" />}
            {partly.includes(option.value) && <Minus className="size-3.5 shrink-0 text-muted" />}
          </div>
        ))}
        {shown.length === 0 && (
          <p className="px-2 py-3 text-center text-muted">{empty ?? t('ui.nothingFound')}</p>
        )}
      </div>
    </>
  );
}
