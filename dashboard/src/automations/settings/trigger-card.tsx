/** When the rule runs: the event, and what it must be about. */
import type { TriggerName } from '../../../../contract/automation/triggers.ts';
import type { Kanban } from '../../../../contract/crm/kanbans.ts';
import { useKanbans, useTeams, useUsers } from '../../data/queries.ts';
import { fieldLabel } from '../../fields/field-label.ts';
import { LabelDot } from '../../labels/label-chips.tsx';
import { useLabels } from '../../labels/label-data.ts';
import { useHours } from '../../settings/hours/hours-data.ts';
import { ChipPicker } from '../../settings/parts/choices.tsx';
import { OptionalSelect } from '../../settings/parts/optional-select.tsx';
import { t } from '../../texts/texts.ts';
import { Field, Input } from '../../ui/controls/input.tsx';
import { Segmented } from '../../ui/controls/segmented.tsx';
import { type Option, Select } from '../../ui/controls/select.tsx';
import { type DraftTrigger, noConditions, readersZone } from '../rule-draft.ts';
import { triggerGroups, useTriggerWords } from '../trigger-words.ts';
import { ConditionsEditor } from './conditions-editor.tsx';
import { MinutesField, ProblemLine, RuleCard } from './rule-parts.tsx';
import { useProblemAt } from './rule-problems.ts';
import { ScheduleFields, TimeZoneSelect } from './schedule-fields.tsx';

interface TriggerProps {
  trigger: DraftTrigger;
  onChange(trigger: DraftTrigger): void;
}

/** What a trigger begins with. */
function beginWith(on: TriggerName, boards: readonly Kanban[]): DraftTrigger {
  const fields = boards.flatMap((board) => board.fields);
  switch (on) {
    case 'reply_sent':
      return { on, by: 'person' };
    case 'no_customer_reply':
    case 'no_team_reply':
      return { on, minutes: on === 'no_team_reply' ? 60 : 1_440 };
    case 'field_changed':
      return { on, fieldId: fields[0]?.id };
    case 'date_field': {
      const field = fields.find(isDated);
      const isDate = field?.type === 'date';
      return {
        on,
        fieldId: field?.id,
        offsetMinutes: -1_440,
        ...(isDate && { at: '09:00', timeZone: readersZone() }),
      };
    }
    case 'schedule':
      return { on, cron: '0 9 * * 1-5', timeZone: readersZone(), over: 'sessions', filter: noConditions() };
    case 'hook':
      return { on, subject: null };
    default:
      return { on };
  }
}

const isDated = ({ type }: { type: string }) => type === 'date' || type === 'datetime';

export function TriggerCard({ trigger, onChange }: TriggerProps) {
  const boards = useKanbans();
  const words = useTriggerWords();
  const problem = useProblemAt('trigger');
  return (
    <RuleCard title={t('automation.when')} text={words(trigger)} label={t('automation.when')}>
      <Field label={t('automation.trigger')}>
        {(ids) => (
          <Select
            {...ids}
            value={trigger.on}
            onChange={(on) => onChange(beginWith(on, boards))}
            options={triggerGroups.flatMap(({ triggers }) =>
              triggers.map((value: TriggerName) => ({ value, label: t(`automation.trigger.${value}`) })),
            )}
          />
        )}
      </Field>
      <TriggerFields trigger={trigger} onChange={onChange} />
      <ProblemLine>{problem}</ProblemLine>
    </RuleCard>
  );
}

function TriggerFields(props: TriggerProps) {
  const { trigger, onChange } = props;
  const labels = useLabels();
  const set = (parts: Partial<DraftTrigger>) => onChange(cleaned({ ...trigger, ...parts }));
  switch (trigger.on) {
    case 'reply_sent':
      return (
        <span>
          <Segmented
            label={t('automation.by')}
            value={trigger.by ?? 'any'}
            onChange={(by) => set({ by })}
            segments={(['person', 'agent', 'any'] as const).map((value) => ({
              value,
              label: t(`automation.by.${value}`),
            }))}
          />
        </span>
      );
    case 'label_added':
    case 'label_removed':
      return (
        <ChipPicker
          label={t('automation.onlyLabels')}
          none={t('automation.anyLabel')}
          options={labels.map(({ id, name, color }) => ({
            value: id,
            label: name,
            mark: <LabelDot color={color} />,
          }))}
          chosen={trigger.labelIds ?? []}
          onChange={(labelIds) => set({ labelIds: labelIds.length > 0 ? labelIds : undefined })}
        />
      );
    case 'session_status_changed':
      return <FromTo {...props} options={sessionStatusOptions()} />;
    case 'session_assigned':
      return <AssignedTo {...props} />;
    case 'session_rated':
      return (
        <OptionalSelect
          label={t('automation.maxScore')}
          none={t('automation.anyScore')}
          value={trigger.maxScore === undefined ? undefined : String(trigger.maxScore)}
          onChange={(score) => set({ maxScore: score === undefined ? undefined : Number(score) })}
          options={[1, 2, 3, 4].map((score) => ({
            value: String(score),
            label: t('automation.upTo', { score }),
          }))}
        />
      );
    case 'record_created':
    case 'task_due':
    case 'comment_added':
      return <BoardChoice {...props} />;
    case 'record_moved':
      return <Moved {...props} />;
    case 'field_changed':
      return <FieldChoice {...props} />;
    case 'no_customer_reply':
    case 'no_team_reply':
      return <Silence {...props} />;
    case 'date_field':
      return <DateField {...props} />;
    case 'schedule':
      return (
        <>
          <ScheduleFields {...props} />
          <ConditionsEditor
            path="trigger.filter"
            title={t(trigger.over === 'records' ? 'automation.overCards' : 'automation.overConversations')}
            group={trigger.filter ?? noConditions()}
            onChange={(filter) => set({ filter })}
          />
        </>
      );
    case 'hook':
      return <HookSubject {...props} />;
    default:
      return null;
  }
}

/** Without what was emptied: the service reads `undefined` as nothing, but a comparison does not. */
const cleaned = (trigger: DraftTrigger) =>
  Object.fromEntries(Object.entries(trigger).filter(([, value]) => value !== undefined)) as DraftTrigger;

const sessionStatusOptions = (): Option[] =>
  (['open', 'snoozed', 'resolved'] as const).map((value) => ({
    value,
    label: t(`automation.status.${value}`),
  }));

function FromTo({ trigger, onChange, options }: TriggerProps & { options: readonly Option[] }) {
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      {(['from', 'to'] as const).map((name) => (
        <OptionalSelect
          key={name}
          label={t(name === 'from' ? 'automation.from' : 'automation.to')}
          none={t('automation.anyStatus')}
          value={trigger[name]}
          options={options}
          onChange={(value) => onChange(cleaned({ ...trigger, [name]: value }))}
        />
      ))}
    </div>
  );
}

function AssignedTo({ trigger, onChange }: TriggerProps) {
  const users = useUsers();
  const teams = useTeams();
  const optionsOf = (list: readonly { id: string; name: string }[]) =>
    list.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <OptionalSelect
        label={t('automation.person')}
        none={t('automation.anyPerson')}
        value={trigger.userId}
        options={optionsOf(users)}
        onChange={(userId) => onChange(cleaned({ ...trigger, userId }))}
      />
      <OptionalSelect
        label={t('automation.team')}
        none={t('automation.anyTeam')}
        value={trigger.teamId}
        options={optionsOf(teams)}
        onChange={(teamId) => onChange(cleaned({ ...trigger, teamId }))}
      />
    </div>
  );
}

function BoardChoice({ trigger, onChange }: TriggerProps) {
  const boards = useKanbans();
  return (
    <OptionalSelect
      label={t('automation.board')}
      none={t('automation.anyBoard')}
      value={trigger.kanbanId}
      options={boards.map(({ id, name }) => ({ value: id, label: name }))}
      onChange={(kanbanId) => onChange(cleaned({ on: trigger.on, kanbanId }))}
    />
  );
}

function Moved(props: TriggerProps) {
  const boards = useKanbans();
  const { kanbanId } = props.trigger;
  const statuses = boards.filter(({ id }) => !kanbanId || id === kanbanId).flatMap((board) => board.statuses);
  const byValue = new Map(statuses.map(({ value, label }) => [value, { value, label }]));
  return (
    <>
      <BoardChoice {...props} />
      <FromTo {...props} options={[...byValue.values()]} />
    </>
  );
}

/** Fields of all boards, with their board where there are several. */
export function useFieldOptions(filter: (field: { type: string }) => boolean = () => true): Option[] {
  const boards = useKanbans();
  return boards.flatMap((board) =>
    board.fields.filter(filter).map((field) => ({
      value: field.id,
      label: boards.length > 1 ? `${fieldLabel(field)} (${board.name})` : fieldLabel(field),
    })),
  );
}

function FieldChoice({ trigger, onChange }: TriggerProps) {
  const options = useFieldOptions();
  return (
    <Field label={t('automation.fieldOfCard')}>
      {(ids) => (
        <Select
          {...ids}
          value={trigger.fieldId}
          placeholder={t('fields.choose')}
          options={options}
          onChange={(fieldId) => onChange({ ...trigger, fieldId })}
        />
      )}
    </Field>
  );
}

function Silence({ trigger, onChange }: TriggerProps) {
  const hours = useHours();
  const { businessHours } = trigger;
  const chosen = typeof businessHours === 'string' ? businessHours : businessHours ? 'own' : undefined;
  return (
    <>
      <MinutesField
        label={t('automation.after')}
        minutes={trigger.minutes}
        onChange={(minutes) => onChange({ ...trigger, minutes })}
      />
      <OptionalSelect
        label={t('automation.counting')}
        none={t('automation.allHours')}
        value={chosen}
        options={[
          { value: 'own', label: t('automation.channelHours') },
          ...hours.map(({ id, name }) => ({ value: id, label: t('automation.onlyHours', { name }) })),
        ]}
        onChange={(value) => onChange(cleaned({ ...trigger, businessHours: value === 'own' ? true : value }))}
      />
    </>
  );
}

function DateField({ trigger, onChange }: TriggerProps) {
  const boards = useKanbans();
  const options = useFieldOptions(isDated);
  const typeOf = (id: string | undefined) =>
    boards.flatMap(({ fields }) => fields).find((field) => field.id === id)?.type;
  const { offsetMinutes = 0 } = trigger;
  const direction = offsetMinutes < 0 ? 'before' : offsetMinutes > 0 ? 'after' : 'on';
  const choose = (fieldId: string) => {
    const { at, timeZone, ...rest } = trigger;
    const isDate = typeOf(fieldId) === 'date';
    onChange({
      ...rest,
      fieldId,
      ...(isDate && { at: at ?? '09:00', timeZone: timeZone ?? readersZone() }),
    });
  };
  const turn = (next: 'before' | 'on' | 'after') => {
    const amount = Math.abs(offsetMinutes) || 1_440;
    onChange({ ...trigger, offsetMinutes: next === 'on' ? 0 : next === 'before' ? -amount : amount });
  };
  return (
    <>
      <Field
        label={t('automation.dateOfCard')}
        hint={options.length === 0 ? t('automation.noDates') : undefined}
      >
        {(ids) => (
          <Select
            {...ids}
            value={trigger.fieldId}
            placeholder={t('fields.choose')}
            options={options}
            onChange={choose}
          />
        )}
      </Field>
      <span>
        <Segmented
          label={t('automation.direction')}
          value={direction}
          onChange={turn}
          segments={(['before', 'on', 'after'] as const).map((value) => ({
            value,
            label: t(`automation.direction.${value}`),
          }))}
        />
      </span>
      {direction !== 'on' && (
        <MinutesField
          key={direction}
          label={t('automation.howLong')}
          minutes={Math.abs(offsetMinutes)}
          onChange={(minutes = 1) =>
            onChange({ ...trigger, offsetMinutes: direction === 'before' ? -minutes : minutes })
          }
        />
      )}
      {typeOf(trigger.fieldId) === 'date' && (
        <DayTime value={trigger} onChange={(next) => onChange({ ...trigger, ...next })} />
      )}
    </>
  );
}

/** A date has no time of its own. */
export function DayTime({
  value,
  onChange,
}: {
  value: { at?: string; timeZone?: string };
  onChange(value: { at: string; timeZone: string }): void;
}) {
  const { at = '09:00', timeZone = readersZone() } = value;
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Field label={t('automation.timeOfDay')}>
        {(ids) => (
          <Input
            {...ids}
            type="time"
            value={at}
            onChange={({ target }) => onChange({ at: target.value, timeZone })}
          />
        )}
      </Field>
      <TimeZoneSelect value={timeZone} onChange={(next) => onChange({ at, timeZone: next })} />
    </div>
  );
}

function HookSubject({ trigger, onChange }: TriggerProps) {
  const boards = useKanbans();
  const { subject = null } = trigger;
  const kind = !subject ? 'nothing' : subject.sessionId === undefined ? 'record' : 'session';
  const set = (next: DraftTrigger['subject']) => onChange({ ...trigger, subject: next });
  const choose = (next: typeof kind) => {
    if (next === 'nothing') return set(null);
    if (next === 'session') return set({ sessionId: '/sessionId' });
    const [board] = boards;
    set({ kanbanId: board?.id, fieldId: board?.fields[0]?.id, value: '/id' });
  };
  const pointer = (label: string, value: string | undefined, change: (value: string) => void) => (
    <Field label={label} hint={t('automation.pointerHint')}>
      {(ids) => (
        <Input
          {...ids}
          className="font-mono"
          value={value ?? ''}
          onChange={({ target }) => change(target.value)}
        />
      )}
    </Field>
  );
  const board = boards.find(({ id }) => id === subject?.kanbanId);
  return (
    <>
      <Field label={t('automation.hook.about')} hint={t('automation.hook.hint')}>
        {(ids) => (
          <Select
            {...ids}
            value={kind}
            onChange={choose}
            options={(['nothing', 'session', 'record'] as const).map((value) => ({
              value,
              label: t(`automation.hook.${value}`),
            }))}
          />
        )}
      </Field>
      {kind === 'session' &&
        pointer(t('automation.hook.sessionId'), subject?.sessionId, (sessionId) => set({ sessionId }))}
      {kind === 'record' && (
        <>
          <div className="grid gap-3 sm:grid-cols-2">
            <Field label={t('automation.board')}>
              {(ids) => (
                <Select
                  {...ids}
                  value={subject?.kanbanId}
                  options={boards.map(({ id, name }) => ({ value: id, label: name }))}
                  onChange={(kanbanId) =>
                    set({
                      ...subject,
                      kanbanId,
                      fieldId: boards.find(({ id }) => id === kanbanId)?.fields[0]?.id,
                    })
                  }
                />
              )}
            </Field>
            <Field label={t('automation.hook.field')}>
              {(ids) => (
                <Select
                  {...ids}
                  value={subject?.fieldId}
                  placeholder={t('fields.choose')}
                  options={(board?.fields ?? []).map((field) => ({
                    value: field.id,
                    label: fieldLabel(field),
                  }))}
                  onChange={(fieldId) => set({ ...subject, fieldId })}
                />
              )}
            </Field>
          </div>
          {pointer(t('automation.hook.value'), subject?.value, (value) => set({ ...subject, value }))}
        </>
      )}
    </>
  );
}
