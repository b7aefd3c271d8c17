/** A list of times to choose from, and a field for any other time. */
import type { LucideIcon } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { dayAndTime } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field, Input } from '../../ui/controls/input.tsx';
import { localMinute } from './snooze-times.ts';

export interface TimeChoice {
  label: string;
  icon: LucideIcon;
  /** Null: at no certain time. */
  at: number | null;
}

export function TimeChoices({
  choices,
  onChoose,
}: {
  choices: readonly TimeChoice[];
  onChoose(at: number | null): void;
}) {
  const list = useRef<HTMLDivElement>(null);
  // The dialog takes the focus when it opens; the first time follows.
  useEffect(() => {
    const frame = requestAnimationFrame(() => list.current?.querySelector('button')?.focus());
    return () => cancelAnimationFrame(frame);
  }, []);
  const onKeyDown = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    const buttons = [...list.current!.querySelectorAll('button')];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    buttons[(at + by + buttons.length) % buttons.length]?.focus();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrows move between its buttons
    <div ref={list} onKeyDown={onKeyDown} className="-mx-2 flex flex-col">
      {choices.map(({ label, icon: Icon, at }) => (
        <button
          key={label}
          type="button"
          onClick={() => onChoose(at)}
          className="flex min-h-9 items-center gap-2.5 rounded-control px-2 text-left hover:bg-hover focus-visible:bg-hover"
        >
          <Icon aria-hidden className="size-4 shrink-0 text-muted" />
          <span className="min-w-0 flex-1">{label}</span>
          {at !== null && <span className="tabular shrink-0 text-muted">{dayAndTime(at)}</span>}
        </button>
      ))}
    </div>
  );
}

export interface ChosenTimeProps {
  /** Of the button. */
  action: string;
  onChoose(at: number): void;
  /** What the field begins with. */
  at?: number;
}

export function ChosenTime({ action, onChoose, at }: ChosenTimeProps) {
  const [text, setText] = useState(at === undefined ? '' : localMinute(new Date(at)));
  const [isPast, setIsPast] = useState(false);
  const choose = () => {
    const chosen = new Date(text).getTime();
    if (chosen > Date.now()) onChoose(chosen);
    else setIsPast(true);
  };
  return (
    <form
      className="mt-3 border-t border-line pt-3"
      onSubmit={(event) => {
        event.preventDefault();
        // It may stand in another form, which is not the one that is sent.
        event.stopPropagation();
        choose();
      }}
    >
      <Field label={t('lifecycle.snooze.chosen')} error={isPast && t('lifecycle.snooze.past')}>
        {(ids) => (
          <div className="flex gap-2">
            <Input
              {...ids}
              type="datetime-local"
              min={localMinute(new Date())}
              value={text}
              onChange={(event) => {
                setText(event.target.value);
                setIsPast(false);
              }}
            />
            <Button type="submit" className="h-8" disabled={text === ''}>
              {action}
            </Button>
          </div>
        )}
      </Field>
    </form>
  );
}
