import { CalendarDays, Clock, MessageSquareReply, Sunrise } from 'lucide-react';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { dayAndTime } from '../../texts/format.ts';
import { t, tn } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field, Input } from '../../ui/controls/input.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { snoozing } from './session-requests.ts';
import { localMinute, type SnoozeName, snoozeTimes } from './snooze-times.ts';
import type { DoTriage } from './use-triage.ts';

const icons = { later: Clock, tomorrow: Sunrise, nextWeek: CalendarDays, customer: MessageSquareReply };
const labels: { [name in SnoozeName]: () => string } = {
  later: () => t('lifecycle.snooze.later'),
  tomorrow: () => t('lifecycle.snooze.tomorrow'),
  nextWeek: () => t('lifecycle.snooze.nextWeek'),
  customer: () => t('lifecycle.snooze.customer'),
};

/** Mounted once with the inbox; opened by the key, the header and the bar of selected conversations. */
export function SnoozeDialog({ act }: { act: DoTriage }) {
  const sessions = snoozing.use();
  if (sessions.length === 0) return null;
  const snooze = (until: number | null) => {
    snoozing.end();
    act('snooze', sessions, until);
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && snoozing.end()}
      title={tn('lifecycle.snooze.title', sessions.length)}
      description={t('lifecycle.snooze.text')}
    >
      <Choices onChoose={snooze} />
      <ChosenTime onChoose={snooze} />
    </Dialog>
  );
}

function Choices({ onChoose }: { onChoose(until: number | null): void }) {
  const list = useRef<HTMLDivElement>(null);
  const [times] = useState(() => snoozeTimes(new Date()));
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
      {times.map(({ name, until }) => {
        const Icon = icons[name];
        return (
          <button
            key={name}
            type="button"
            onClick={() => onChoose(until)}
            className="flex min-h-9 items-center gap-2.5 rounded-control px-2 text-left hover:bg-hover focus-visible:bg-hover"
          >
            <Icon aria-hidden className="size-4 shrink-0 text-muted" />
            <span className="min-w-0 flex-1">{labels[name]()}</span>
            {until !== null && <span className="tabular shrink-0 text-muted">{dayAndTime(until)}</span>}
          </button>
        );
      })}
    </div>
  );
}

function ChosenTime({ onChoose }: { onChoose(until: number): void }) {
  const [text, setText] = useState('');
  const [isPast, setIsPast] = useState(false);
  const choose = () => {
    const until = new Date(text).getTime();
    if (until > Date.now()) onChoose(until);
    else setIsPast(true);
  };
  return (
    <form
      className="mt-3 border-t border-line pt-3"
      onSubmit={(event) => {
        event.preventDefault();
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
              {t('lifecycle.snooze')}
            </Button>
          </div>
        )}
      </Field>
    </form>
  );
}
