import { ChevronLeft, ListPlus, SendHorizontal } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import type { InboxSession } from '../../../../../contract/dashboard.ts';
import { limits } from '../../../../../contract/limits.ts';
import type { Template } from '../../../../../contract/messaging/templates.ts';
import { t } from '../../../texts/texts.ts';
import { Button, IconButton } from '../../../ui/controls/button.tsx';
import { Field, Input } from '../../../ui/controls/input.tsx';
import { Menu, MenuItem } from '../../../ui/overlays/menu.tsx';
import { LaterDialog } from '../later/later-dialog.tsx';
import type { SendTime } from '../later/scheduled-data.ts';
import { type CardValue, lastSources, useCardValues } from './card-values.ts';
import { fillTemplate } from './template-data.ts';

export interface FilledTemplate {
  template: Template;
  values: string[];
  /** The card's value that each was taken from; null: typed. */
  sources: (string | null)[];
}

export interface TemplateFormProps {
  session: InboxSession;
  template: Template;
  isBusy: boolean;
  onBack(): void;
  onSend(filled: FilledTemplate, at: SendTime | null): void;
}

/** What was typed or chosen; until then the value of the card that was used last time. */
interface Entry {
  text: string;
  source: string | null;
}

export function TemplateForm({ session, template, isBusy, onBack, onSend }: TemplateFormProps) {
  const { name, language, parameterCount, text } = template;
  const card = useCardValues(session);
  const [entries, setEntries] = useState<(Entry | undefined)[]>([]);
  const [remembered] = useState(() => lastSources(session.channelId, `${name}:${language}`));
  const [isLater, setIsLater] = useState(false);
  const filled = Array.from(
    { length: parameterCount },
    (_, at) => entries[at] ?? fromCard(card, remembered[at]),
  );
  const values = filled.map((entry) => entry.text.trim());
  const isComplete = values.every((value) => value !== '');
  const enter = (at: number, entry: Entry) =>
    setEntries((before) => Object.assign([...before], { [at]: entry }));
  const send = (time: SendTime | null) =>
    onSend({ template, values, sources: filled.map(({ source }) => source) }, time);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isComplete && !isBusy) send(null);
  };
  return (
    <form className="flex flex-col gap-4" onSubmit={submit}>
      {filled.map((entry, at) => (
        <ParameterField
          // biome-ignore lint/suspicious/noArrayIndexKey: the place is what identifies a parameter
          key={at}
          label={t('template.parameter', { number: at + 1 })}
          text={entry.text}
          card={card}
          onEnter={(next) => enter(at, next)}
        />
      ))}
      <section aria-label={t('template.preview')} className="rounded-panel bg-sunken px-3 py-2">
        <p className="mb-1 text-sm text-muted">{t('template.preview')}</p>
        <p className="whitespace-pre-wrap wrap-anywhere">{fillTemplate(text, values)}</p>
      </section>
      <footer className="flex flex-wrap items-center gap-2">
        <Button tone="quiet" onClick={onBack} icon={<ChevronLeft className="size-3.5" />}>
          {t('template.back')}
        </Button>
        <span className="flex-1" />
        <Button disabled={!isComplete || isBusy} onClick={() => setIsLater(true)}>
          {t('later.menu')}
        </Button>
        <Button
          type="submit"
          tone="primary"
          busy={isBusy}
          disabled={!isComplete}
          icon={<SendHorizontal className="size-3.5" />}
        >
          {t('template.send')}
        </Button>
      </footer>
      {isLater && (
        <LaterDialog
          onClose={() => setIsLater(false)}
          onChoose={(time) => {
            setIsLater(false);
            send(time);
          }}
        />
      )}
    </form>
  );
}

function fromCard(card: readonly CardValue[], source: string | null | undefined): Entry {
  const found = card.find(({ id }) => id === source);
  return { text: found?.value ?? '', source: found?.id ?? null };
}

interface ParameterFieldProps {
  label: string;
  text: string;
  card: readonly CardValue[];
  onEnter(entry: Entry): void;
}

function ParameterField({ label, text, card, onEnter }: ParameterFieldProps) {
  return (
    <Field label={label}>
      {(ids) => (
        <div className="flex gap-1">
          <Input
            {...ids}
            value={text}
            maxLength={limits.templateParameterLength}
            onChange={(event) => onEnter({ text: event.target.value, source: null })}
          />
          <Menu
            align="end"
            trigger={
              <IconButton label={t('template.fill')}>
                <ListPlus className="size-4" />
              </IconButton>
            }
          >
            {card.map(({ id, label: name, value }) => (
              <MenuItem key={id} onSelect={() => onEnter({ text: value, source: id })}>
                <span className="flex min-w-0 flex-col">
                  <span className="text-sm text-muted">{name}</span>
                  <span className="truncate">{value}</span>
                </span>
              </MenuItem>
            ))}
          </Menu>
        </div>
      )}
    </Field>
  );
}
