/** When the workspace is open: named hours that channels, the chat, teams, rules and service levels refer to. */
import { useQuery } from '@tanstack/react-query';
import { Clock } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { BusinessHours } from '../../../../contract/business-hours.ts';
import { limits } from '../../../../contract/limits.ts';
import {
  findHoursProblem,
  minutesOf,
  type OpeningInterval,
} from '../../../../contract/widget/opening-hours.ts';
import { api } from '../../data/api.ts';
import { clockTimeIn } from '../../texts/format.ts';
import { locale, t, tn } from '../../texts/texts.ts';
import { Field } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { Switch } from '../../ui/controls/switch.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { Badge } from '../../ui/display/badge.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { ConfirmDelete } from '../parts/confirm-delete.tsx';
import { CreateButton, EntityList } from '../parts/entity-list.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Row } from '../parts/rows.tsx';
import { Answer, Section } from '../parts/section.tsx';
import { ClosedDates } from './closed-dates.tsx';
import { hoursQuery, reloadHours } from './hours-data.ts';
import { WeekHours } from './week-hours.tsx';

const readersZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

export default function HoursSettings() {
  // Others may have changed them: there is no live update.
  const hours = useQuery({ ...hoursQuery, staleTime: 0 });
  const [open, setOpen] = useState<BusinessHours | 'new' | null>(null);
  const [deleting, setDeleting] = useState<BusinessHours | null>(null);
  return (
    <Section
      title={t('settings.hours')}
      description={t('hours.text')}
      actions={<CreateButton label={t('hours.new')} onClick={() => setOpen('new')} />}
    >
      <Answer query={hours}>
        {(list) => (
          <EntityList
            label={t('settings.hours')}
            items={list}
            empty={{
              icon: <Clock className="size-4" />,
              title: t('hours.empty'),
              text: t('hours.emptyText'),
            }}
            search={{ label: t('hours.search'), textOf: ({ name }) => name }}
            row={(one) => (
              <Row
                key={one.id}
                title={one.name}
                badges={one.isDefault && <Badge hue="blue">{t('hours.default')}</Badge>}
                text={wordsOf(one)}
                onOpen={() => setOpen(one)}
              />
            )}
          />
        )}
      </Answer>
      {open && (
        <HoursDialog
          hours={open === 'new' ? null : open}
          onClose={() => setOpen(null)}
          onDelete={(hours) => {
            setOpen(null);
            setDeleting(hours);
          }}
        />
      )}
      {deleting && <DeleteHours hours={deleting} onClose={() => setDeleting(null)} />}
    </Section>
  );
}

/** “42 hours a week · 12 closed days · Europe/Madrid”. */
function wordsOf({ week, closedDates, timeZone }: BusinessHours): string {
  const minutes = week.reduce((sum, { from, to }) => sum + minutesOf(to) - minutesOf(from), 0);
  const shown = new Intl.NumberFormat(locale(), { maximumFractionDigits: 1 }).format(minutes / 60);
  const isAlways = minutes === 7 * 1_440;
  return [
    isAlways ? t('hours.always') : tn('hours.aWeek', Math.round(minutes / 60), { shown }),
    closedDates.length > 0 && tn('hours.closedDays', closedDates.length),
    timeZone.replaceAll('_', ' '),
  ]
    .filter(Boolean)
    .join(' · ');
}

const usual = (): OpeningInterval[] => [1, 2, 3, 4, 5].map((day) => ({ day, from: '09:00', to: '17:00' }));

function HoursDialog({
  hours,
  onClose,
  onDelete,
}: {
  hours: BusinessHours | null;
  onClose(): void;
  onDelete(hours: BusinessHours): void;
}) {
  const [draft, setDraft] = useState(() => ({
    name: hours?.name ?? '',
    isDefault: hours?.isDefault ?? false,
    timeZone: hours?.timeZone ?? readersZone(),
    week: hours?.week ?? usual(),
    closedDates: hours?.closedDates ?? [],
    names: hours?.names ?? {},
  }));
  const { timeZone, week } = draft;
  const zones = useMemo(() => {
    const names = new Set(['UTC', readersZone(), timeZone, ...Intl.supportedValuesOf('timeZone')]);
    return [...names].map((name) => ({ value: name, label: name.replaceAll('_', ' ') }));
  }, [timeZone]);
  const incomplete = week.findIndex(({ from, to }) => from === '' || to === '');
  const problem = incomplete < 0 ? findHoursProblem(week) : { index: incomplete, kind: 'missing' as const };
  const submit = async () => {
    const { isDefault, ...rest } = draft;
    // There is always one default: it is changed by making another one it.
    const body = { ...rest, name: draft.name.trim(), ...(isDefault && { isDefault }) };
    if (hours) await api('PATCH', `/business-hours/${hours.id}`, { body });
    else await api('POST', '/business-hours', { body });
    await reloadHours();
  };
  return (
    <FormDialog
      wide
      title={hours ? t('hours.edit') : t('hours.new')}
      action={hours ? t('ui.save') : t('ui.create')}
      ready={draft.name.trim() !== '' && problem === null}
      onSubmit={submit}
      onClose={onClose}
      onDelete={hours === null || hours.isDefault ? undefined : () => onDelete(hours)}
    >
      <TextField
        label={t('hours.name')}
        autoFocus
        value={draft.name}
        maxLength={limits.nameLength}
        onChange={(name) => setDraft({ ...draft, name })}
      />
      <Field label={t('hours.zone')} hint={t('hours.zoneHint', { time: clockTimeIn(timeZone, Date.now()) })}>
        {(ids) => (
          <Select
            {...ids}
            value={timeZone}
            options={zones}
            onChange={(next) => setDraft({ ...draft, timeZone: next })}
          />
        )}
      </Field>
      <WeekHours week={week} problem={problem} onChange={(next) => setDraft({ ...draft, week: next })} />
      <ClosedDates
        closedDates={draft.closedDates}
        names={draft.names}
        onChange={(dates) => setDraft({ ...draft, ...dates })}
      />
      <Switch
        label={t('hours.isDefault')}
        hint={t(hours?.isDefault ? 'hours.isDefaultAlready' : 'hours.isDefaultHint')}
        disabled={hours?.isDefault}
        checked={draft.isDefault}
        onChange={(isDefault) => setDraft({ ...draft, isDefault })}
      />
    </FormDialog>
  );
}

/** Where they are used, the service says. */
function DeleteHours({ hours: { id, name }, onClose }: { hours: BusinessHours; onClose(): void }) {
  return (
    <ConfirmDelete
      title={t('hours.deleteTitle', { name })}
      onClose={onClose}
      onDelete={async () => {
        await api('DELETE', `/business-hours/${id}`);
        await reloadHours();
        toast.done(t('hours.deleted', { name }));
      }}
    >
      <p className="text-muted">{t('hours.deleteText')}</p>
    </ConfirmDelete>
  );
}
