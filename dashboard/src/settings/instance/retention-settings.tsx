import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  type Retention,
  type RetentionPreview,
  retentionDays,
  type RetentionSettings as Settings,
} from '../../../../contract/retention.ts';
import { api } from '../../data/api.ts';
import { describeError } from '../../data/errors.ts';
import { fullDate, number } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { Answer, Section } from '../parts/section.tsx';
import { reload, retentionQuery, settingsKeys } from '../settings-data.ts';

const names = ['messageDays', 'fileDays', 'eventDays', 'auditDays', 'replyLogDays'] as const;
type Name = (typeof names)[number];
type Draft = Record<Name, string>;

export default function RetentionSettings() {
  const retention = useQuery(retentionQuery);
  return (
    <Section title={t('settings.retention')} description={t('retention.text')}>
      <Answer query={retention}>{(one) => <Form key={JSON.stringify(one)} retention={one} />}</Answer>
    </Section>
  );
}

function Form({ retention }: { retention: Retention }) {
  const [draft, setDraft] = useState<Draft>(() => draftOf(retention));
  const [asked, setAsked] = useState<RetentionPreview | null>(null);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const isChanged = names.some((name) => draft[name].trim() !== draftOf(retention)[name]);
  const isReady = isChanged && names.every((name) => problemOf(name, draft[name]) === '');

  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    setError('');
    try {
      await work();
    } catch (failure) {
      setError(describeError(failure).text);
    } finally {
      setBusy(false);
    }
  };
  const save = () =>
    run(async () => {
      await api('PATCH', '/account/retention', { body: settingsOf(draft) });
      setAsked(null);
      toast.done(t('retention.saved'));
      await Promise.all([reload(settingsKeys.retention), reload(settingsKeys.webhookSettings)]);
    });
  // What goes now is shown before it goes.
  const ask = () =>
    run(async () => {
      const body = settingsOf(draft);
      const preview = await api<RetentionPreview>('POST', '/account/retention/preview', { body });
      if (countsOf(preview).length > 0) setAsked(preview);
      else await save();
    });
  return (
    <form
      className="flex max-w-96 flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && !isBusy) void ask();
      }}
    >
      {names.map((name) => (
        <TextField
          key={name}
          label={t(`retention.${name}`)}
          hint={t(`retention.${name}.hint`, rangeOf(name))}
          type="number"
          min={retentionDays[name].min}
          max={retentionDays[name].max}
          placeholder={name === 'eventDays' ? undefined : t('retention.keep')}
          error={problemOf(name, draft[name])}
          value={draft[name]}
          onChange={(text) => setDraft({ ...draft, [name]: text })}
        />
      ))}
      {error && (
        <p role="alert" className="text-danger">
          {error}
        </p>
      )}
      <div>
        <Button type="submit" tone="primary" busy={isBusy} disabled={!isReady}>
          {t('retention.save')}
        </Button>
      </div>
      {retention.lastRunAt !== null && (
        <p className="text-muted">{t('retention.lastRun', { time: fullDate(retention.lastRunAt) })}</p>
      )}
      {asked && (
        <Confirm
          preview={asked}
          isBusy={isBusy}
          onConfirm={() => void save()}
          onClose={() => setAsked(null)}
        />
      )}
    </form>
  );
}

interface ConfirmProps {
  preview: RetentionPreview;
  isBusy: boolean;
  onConfirm(): void;
  onClose(): void;
}

function Confirm({ preview, isBusy, onConfirm, onClose }: ConfirmProps) {
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('retention.confirm.title')}
      description={t('retention.confirm.text')}
      footer={
        <>
          <Button onClick={onClose}>{t('ui.cancel')}</Button>
          <Button tone="danger" busy={isBusy} onClick={onConfirm}>
            {t('retention.confirm.action')}
          </Button>
        </>
      }
    >
      <dl className="rounded-panel border border-line">
        {countsOf(preview).map(([name, count]) => (
          <div
            key={name}
            className="flex items-center justify-between gap-4 border-b border-line px-3 py-2 last:border-0"
          >
            <dt className="text-muted">{t(`retention.count.${name}`)}</dt>
            <dd className="tabular font-medium">
              {count >= preview.countedUpTo
                ? t('retention.count.more', { count: number(count) })
                : number(count)}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

const counted = ['messages', 'conversations', 'files', 'events', 'auditEntries', 'replyLogs'] as const;

const countsOf = (preview: RetentionPreview) =>
  counted.map((name) => [name, preview[name]] as const).filter(([, count]) => count > 0);

const draftOf = (settings: Settings): Draft =>
  Object.fromEntries(names.map((name) => [name, String(settings[name] ?? '')])) as Draft;

const settingsOf = (draft: Draft): Settings =>
  Object.fromEntries(
    names.map((name) => [name, draft[name].trim() === '' ? null : Number(draft[name])]),
  ) as Settings;

const rangeOf = (name: Name) => ({
  min: number(retentionDays[name].min),
  max: number(retentionDays[name].max),
});

/** Empty: it is fine. */
function problemOf(name: Name, text: string): string {
  const { min, max } = retentionDays[name];
  if (text.trim() === '' && name !== 'eventDays') return '';
  const value = Number(text);
  const isFine = text.trim() !== '' && Number.isInteger(value) && value >= min && value <= max;
  return isFine ? '' : t('retention.outOfRange', rangeOf(name));
}
