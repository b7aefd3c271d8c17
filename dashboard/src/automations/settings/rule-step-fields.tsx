/** What each type of step needs; those of macros have the fields of macros. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { limits } from '../../../../contract/limits.ts';
import type { MacroStep } from '../../../../contract/macros.ts';
import { useAgents, useChannels, useKanbans, useTeams, useUsers } from '../../data/queries.ts';
import { useMay } from '../../data/session.ts';
import { hasTemplates, isSendable, templatesQuery } from '../../inbox/composer/window/template-data.ts';
import { CardFields } from '../../macros/settings/card-fields.tsx';
import { StepFields } from '../../macros/settings/step-fields.tsx';
import { TextWithPlaceholders } from '../../macros/settings/text-fields.tsx';
import { connectorOf } from '../../settings/channels/connect/connector-data.ts';
import { useHours } from '../../settings/hours/hours-data.ts';
import { CheckList, ChipPicker } from '../../settings/parts/choices.tsx';
import { OptionalSelect } from '../../settings/parts/optional-select.tsx';
import { PeoplePicker } from '../../settings/parts/people-picker.tsx';
import { toolsQuery } from '../../settings/tools/tools-data.ts';
import { t } from '../../texts/texts.ts';
import { Field, Input, TextArea } from '../../ui/controls/input.tsx';
import { Segmented } from '../../ui/controls/segmented.tsx';
import { type Option, Select } from '../../ui/controls/select.tsx';
import { Switch } from '../../ui/controls/switch.tsx';
import { type DraftStep, readersZone } from '../rule-draft.ts';
import { waitCancels } from '../rule-step-words.ts';
import { MinutesField } from './rule-parts.tsx';
import { DayTime, useFieldOptions } from './trigger-card.tsx';

interface StepProps {
  step: DraftStep;
  placeholders: readonly string[];
  onChange(step: DraftStep): void;
}

export function RuleStepFields({ isOfMacro, ...props }: StepProps & { isOfMacro: boolean }) {
  const { step, placeholders, onChange } = props;
  if (isOfMacro) {
    return (
      <StepFields
        step={step as MacroStep}
        rule={{ placeholders }}
        onChange={(next) => onChange({ ...next, id: step.id })}
      />
    );
  }
  switch (step.type) {
    case 'send_template':
      return <TemplateFields {...props} />;
    case 'transfer':
      return <TransferFields {...props} />;
    case 'create_record':
      return <RecordFields {...props} />;
    case 'create_task':
      return <TaskFields {...props} />;
    case 'comment':
      return <StepText {...props} />;
    case 'notify':
      return <NotifyFields {...props} />;
    case 'call':
      return <CallFields {...props} />;
    case 'wait':
      return <WaitFields {...props} />;
    default:
      return null;
  }
}

const named = (list: readonly { id: string; name: string }[]): Option[] =>
  list.map(({ id, name }) => ({ value: id, label: name }));
/** Without what was emptied. */
const without = <T extends object>(step: T): T =>
  Object.fromEntries(Object.entries(step).filter(([, value]) => value !== undefined)) as T;

const StepText = ({ step, placeholders, onChange }: StepProps) => (
  <TextWithPlaceholders
    text={step.text ?? ''}
    rule={{ placeholders }}
    onChange={(text) => onChange({ ...step, text })}
  />
);

function TitleField({ step, onChange, label }: StepProps & { label: string }) {
  return (
    <Field label={label} hint={t('automation.titleHint', { customer: '{{customer}}' })}>
      {(ids) => (
        <Input
          {...ids}
          value={step.title ?? ''}
          maxLength={limits.titleLength}
          onChange={({ target }) => onChange({ ...step, title: target.value })}
        />
      )}
    </Field>
  );
}

function TemplateFields({ step, onChange }: StepProps) {
  const channels = useChannels().filter((channel) => {
    const connector = connectorOf(channel);
    return connector && hasTemplates(connector.kind);
  });
  const asked = useQueries({ queries: channels.map(({ id }) => templatesQuery(id)) });
  const templates = asked.flatMap(({ data = [] }) => data.filter(isSendable));
  const keyOf = ({ name, language }: { name: string; language: string }) => `${name} ${language}`;
  const { name = '', language = '', parameters = [] } = step;
  const chosen = templates.find((one) => keyOf(one) === keyOf({ name, language }));
  const options = new Map(
    templates.map((one) => [keyOf(one), { value: keyOf(one), label: `${one.name} (${one.language})` }]),
  );
  if (name && !chosen)
    options.set(keyOf({ name, language }), { value: keyOf({ name, language }), label: name });
  const choose = (key: string) => {
    const found = templates.find((one) => keyOf(one) === key);
    if (!found) return;
    const { name: next, language: tongue, parameterCount } = found;
    onChange({ ...step, name: next, language: tongue, parameters: Array(parameterCount).fill('') });
  };
  return (
    <>
      <Field
        label={t('automation.template')}
        hint={options.size === 0 ? t('automation.noTemplates') : chosen?.text}
      >
        {(ids) => (
          <Select
            {...ids}
            value={name ? keyOf({ name, language }) : undefined}
            placeholder={t('fields.choose')}
            disabled={options.size === 0}
            options={[...options.values()]}
            onChange={choose}
          />
        )}
      </Field>
      {parameters.map((parameter, index) => (
        <Field
          // biome-ignore lint/suspicious/noArrayIndexKey: parameters are numbered
          key={index}
          label={t('automation.parameter', { number: index + 1 })}
          hint={t('automation.titleHint', { customer: '{{customer}}' })}
        >
          {(ids) => (
            <Input
              {...ids}
              value={parameter}
              maxLength={limits.templateParameterLength}
              onChange={({ target }) =>
                onChange({ ...step, parameters: parameters.with(index, target.value) })
              }
            />
          )}
        </Field>
      ))}
    </>
  );
}

function TransferFields({ step, onChange }: StepProps) {
  const agents = useAgents();
  const boards = useKanbans();
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <OptionalSelect
        label={t('automation.agent')}
        none={t('macros.field.keep')}
        value={step.agentId}
        options={named(agents)}
        onChange={(agentId) => onChange(without({ ...step, agentId }))}
      />
      <OptionalSelect
        label={t('macros.field.board')}
        none={t('macros.field.keep')}
        value={step.kanbanId}
        options={named(boards)}
        onChange={(kanbanId) => onChange(without({ ...step, kanbanId }))}
      />
    </div>
  );
}

function RecordFields(props: StepProps) {
  const { step, onChange } = props;
  const board = useKanbans().find(({ id }) => id === step.kanbanId);
  return (
    <>
      <TitleField {...props} label={t('automation.cardTitle')} />
      <CardFields
        step={step as MacroStep}
        isNew
        onChange={({ kanbanId, customFields }) =>
          onChange(
            kanbanId === step.kanbanId
              ? { ...step, customFields }
              : without({ ...step, kanbanId, customFields, status: undefined }),
          )
        }
      />
      <OptionalSelect
        label={t('macros.field.status')}
        none={t('automation.firstStatus')}
        value={step.status}
        options={(board?.statuses ?? []).map(({ value, label }) => ({ value, label }))}
        onChange={(status) => onChange(without({ ...step, status }))}
      />
      <PeoplePicker
        label={t('automation.assignees')}
        none={t('macros.field.nobody')}
        chosen={step.assignedUserIds ?? []}
        onChange={(assignedUserIds) => onChange({ ...step, assignedUserIds })}
      />
    </>
  );
}

function TaskFields(props: StepProps) {
  const { step, onChange } = props;
  const users = useUsers();
  return (
    <>
      <TitleField {...props} label={t('automation.taskTitle')} />
      <OptionalSelect
        label={t('automation.assignee')}
        none={t('macros.field.nobody')}
        value={step.assignedUserId ?? undefined}
        options={named(users)}
        onChange={(assignedUserId) => onChange(without({ ...step, assignedUserId }))}
      />
      <MinutesField
        label={t('automation.dueIn')}
        hint={t('automation.dueHint')}
        minutes={step.dueInMinutes ?? undefined}
        onChange={(dueInMinutes) => onChange(without({ ...step, dueInMinutes }))}
      />
    </>
  );
}

function NotifyFields(props: StepProps) {
  const { step, onChange } = props;
  const teams = useTeams();
  const put = (part: Partial<DraftStep>) => onChange(without({ ...step, ...part }));
  const some = (ids: string[]) => (ids.length > 0 ? ids : undefined);
  return (
    <>
      <PeoplePicker
        label={t('automation.notifyPeople')}
        none={t('macros.field.nobody')}
        chosen={step.userIds ?? []}
        onChange={(ids) => put({ userIds: some(ids) })}
      />
      <ChipPicker
        label={t('automation.notifyTeams')}
        none={t('macros.field.noTeam')}
        options={named(teams)}
        chosen={step.teamIds ?? []}
        onChange={(ids) => put({ teamIds: some(ids) })}
      />
      <StepText {...props} />
      <Switch
        label={t('automation.byEmail')}
        checked={step.email ?? false}
        onChange={(email) => onChange({ ...step, email })}
      />
    </>
  );
}

/** Null: it is not JSON. */
function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function JsonField({
  label,
  hint,
  value,
  onChange,
}: {
  label: string;
  hint: string;
  value: unknown;
  onChange(value: unknown): void;
}) {
  const [text, setText] = useState(value === undefined ? '' : JSON.stringify(value, null, 2));
  const isWrong = text.trim() !== '' && readJson(text) === undefined;
  return (
    <Field label={label} hint={hint} error={isWrong ? t('automation.notJson') : undefined}>
      {(ids) => (
        <TextArea
          {...ids}
          className="font-mono text-sm"
          spellCheck={false}
          rows={3}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            onChange(readJson(target.value));
          }}
        />
      )}
    </Field>
  );
}

/** As it is written in a text. */
const answerOf = ({ id }: DraftStep) => ['{{steps.', id, '.body.…}}'].join('');

function CallFields({ step, onChange }: StepProps) {
  const mayAddress = useMay('webhooks.manage');
  const tools = (useQuery(toolsQuery).data ?? []).filter(({ mcpServerId }) => mcpServerId === null);
  const [kind, setKind] = useState<'url' | 'tool'>(step.toolId === undefined ? 'url' : 'tool');
  if (!mayAddress) return <p className="text-muted">{t('settings.addressRight')}</p>;
  const turn = (next: typeof kind) => {
    setKind(next);
    onChange({ id: step.id, type: step.type });
  };
  return (
    <>
      <span>
        <Segmented
          label={t('automation.step.call')}
          value={kind}
          onChange={turn}
          segments={(['url', 'tool'] as const).map((value) => ({
            value,
            label: t(`automation.call.${value}`),
          }))}
        />
      </span>
      {kind === 'url' ? (
        <>
          <Field label={t('automation.call.address')} hint={t('automation.call.addressHint')}>
            {(ids) => (
              <Input
                {...ids}
                type="url"
                className="font-mono"
                placeholder="https://"
                value={step.url ?? ''}
                maxLength={limits.tools.urlLength}
                onChange={({ target }) => onChange(without({ ...step, url: target.value || undefined }))}
              />
            )}
          </Field>
          <JsonField
            label={t('automation.call.body')}
            hint={t('automation.call.bodyHint')}
            value={step.body}
            onChange={(body) => onChange(without({ ...step, body }))}
          />
        </>
      ) : (
        <>
          <Field
            label={t('automation.call.tool')}
            hint={tools.length === 0 ? t('automation.call.noTools') : undefined}
          >
            {(ids) => (
              <Select
                {...ids}
                value={step.toolId}
                placeholder={t('fields.choose')}
                options={named(tools)}
                onChange={(toolId) => onChange({ ...step, toolId })}
              />
            )}
          </Field>
          <JsonField
            label={t('automation.call.arguments')}
            hint={t('automation.call.argumentsHint')}
            value={step.arguments}
            onChange={(given) => onChange(without({ ...step, arguments: given as DraftStep['arguments'] }))}
          />
        </>
      )}
      <p className="text-sm text-muted">
        {t('automation.call.answer')} <code className="font-mono">{answerOf(step)}</code>
      </p>
    </>
  );
}

const isDated = ({ type }: { type: string }) => type === 'date' || type === 'datetime';

function WaitFields({ step, onChange }: StepProps) {
  const boards = useKanbans();
  const dates = useFieldOptions(isDated);
  const hours = useHours();
  const { until, cancelOn = [] } = step;
  const kind = until === undefined ? 'minutes' : until === 'next_opening' ? 'opening' : 'field';
  const field = boards.flatMap(({ fields }) => fields).find(({ id }) => id === until);
  const base: DraftStep = { id: step.id, type: 'wait', cancelOn };
  const turn = (next: string) =>
    onChange({
      ...base,
      ...(next === 'minutes'
        ? { minutes: 1_440 }
        : next === 'opening'
          ? { until: 'next_opening' }
          : untilField(dates[0]?.value)),
    });
  const untilField = (id: string | undefined) => {
    const isDate = boards.flatMap(({ fields }) => fields).find((one) => one.id === id)?.type === 'date';
    return { until: id, ...(isDate && { at: '09:00', timeZone: readersZone() }) };
  };
  return (
    <>
      <Field label={t('automation.waitFor')}>
        {(ids) => (
          <Select
            {...ids}
            value={kind}
            onChange={turn}
            options={[
              { value: 'minutes', label: t('automation.wait.minutes') },
              { value: 'opening', label: t('automation.wait.opening') },
              ...(dates.length > 0 ? [{ value: 'field', label: t('automation.wait.field') }] : []),
            ]}
          />
        )}
      </Field>
      {kind === 'minutes' && (
        <MinutesField
          label={t('automation.howLong')}
          minutes={step.minutes}
          onChange={(minutes) => onChange(without({ ...step, minutes }))}
        />
      )}
      {kind === 'opening' && (
        <OptionalSelect
          label={t('settings.hours')}
          none={t('automation.wait.ownHours')}
          value={step.hoursId ?? undefined}
          options={named(hours)}
          onChange={(hoursId) => onChange(without({ ...step, hoursId }))}
        />
      )}
      {kind === 'field' && (
        <>
          <Field label={t('automation.dateOfCard')}>
            {(ids) => (
              <Select
                {...ids}
                value={until}
                options={dates}
                onChange={(id) => onChange({ ...base, ...untilField(id) })}
              />
            )}
          </Field>
          {field?.type === 'date' && (
            <DayTime value={step} onChange={(next) => onChange({ ...step, ...next })} />
          )}
        </>
      )}
      <CheckList
        label={t('automation.cancelOn')}
        choices={waitCancels.map((value) => ({ value, label: t(`automation.cancel.${value}`) }))}
        chosen={cancelOn}
        onChange={(next) => onChange({ ...step, cancelOn: next })}
      />
    </>
  );
}
