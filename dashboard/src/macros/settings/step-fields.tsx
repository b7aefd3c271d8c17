/** What a step of each type needs. */
import { useTeams, useUsers } from '../../data/queries.ts';
import { LabelDot } from '../../labels/label-chips.tsx';
import { useLabels } from '../../labels/label-data.ts';
import { ChipPicker } from '../../settings/parts/choices.tsx';
import { t } from '../../texts/texts.ts';
import { Field } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { Switch } from '../../ui/controls/switch.tsx';
import { lengthText } from '../step-words.ts';
import { CardFields, CardStatus } from './card-fields.tsx';
import type { StepFieldsProps } from './edited-steps.ts';
import { TextWithPlaceholders } from './text-fields.tsx';

export function StepFields(props: StepFieldsProps) {
  switch (props.step.type) {
    case 'reply':
    case 'note':
      return <TextFields {...props} />;
    case 'label':
      return <LabelFields {...props} />;
    case 'assign':
      return <AssignFields {...props} />;
    case 'set_fields':
      return <CardFields {...props} />;
    case 'set_status':
      return <CardStatus {...props} />;
    case 'snooze':
      return <SnoozeField {...props} />;
    default:
      return null;
  }
}

function TextFields({ step, onChange, rule }: StepFieldsProps) {
  const { type, text = '', pauseAi = !rule, isNoteVisibleToAi = false } = step;
  return (
    <>
      <TextWithPlaceholders text={text} rule={rule} onChange={(next) => onChange({ ...step, text: next })} />
      {type === 'reply' ? (
        <Switch
          label={t('macros.field.pauseAi')}
          checked={pauseAi}
          onChange={(on) => onChange({ ...step, pauseAi: on })}
        />
      ) : (
        <Switch
          label={t('macros.field.visibleToAi')}
          checked={isNoteVisibleToAi}
          onChange={(on) => onChange({ ...step, isNoteVisibleToAi: on })}
        />
      )}
    </>
  );
}

function LabelFields({ step, onChange }: StepFieldsProps) {
  const labels = useLabels();
  const options = labels.map(({ id, name, color }) => ({
    value: id,
    label: name,
    mark: <LabelDot color={color} />,
  }));
  return (
    <>
      <ChipPicker
        label={t('macros.field.addLabels')}
        none={t('macros.field.noLabels')}
        options={options}
        chosen={step.addLabelIds ?? []}
        onChange={(addLabelIds) => onChange({ ...step, addLabelIds })}
      />
      <ChipPicker
        label={t('macros.field.removeLabels')}
        none={t('macros.field.noLabels')}
        options={options}
        chosen={step.removeLabelIds ?? []}
        onChange={(removeLabelIds) => onChange({ ...step, removeLabelIds })}
      />
    </>
  );
}

/** `keep` is no value of a step: what it leaves out stays as it is. */
function AssignFields({ step, onChange, rule }: StepFieldsProps) {
  const users = useUsers();
  const teams = useTeams();
  const chosenOf = (id: string | null | undefined) => (id === undefined ? 'keep' : (id ?? 'none'));
  const set = (name: 'assignedUserId' | 'teamId', value: string) => {
    const { [name]: _, ...rest } = step;
    onChange(value === 'keep' ? rest : { ...rest, [name]: value === 'none' ? null : value });
  };
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Field label={t('macros.field.owner')}>
        {(ids) => (
          <Select
            {...ids}
            value={chosenOf(step.assignedUserId)}
            onChange={(value) => set('assignedUserId', value)}
            options={[
              ...(rule ? [] : [{ value: 'me', label: t('macros.field.me') }]),
              ...users.map(({ id, name }) => ({ value: id, label: name })),
              { value: 'none', label: t('macros.field.nobody') },
              { value: 'keep', label: t('macros.field.keep') },
            ]}
          />
        )}
      </Field>
      <Field label={t('macros.field.team')}>
        {(ids) => (
          <Select
            {...ids}
            value={chosenOf(step.teamId)}
            onChange={(value) => set('teamId', value)}
            options={[
              ...teams.map(({ id, name }) => ({ value: id, label: name })),
              { value: 'none', label: t('macros.field.noTeam') },
              { value: 'keep', label: t('macros.field.keep') },
            ]}
          />
        )}
      </Field>
    </div>
  );
}

const lengths = [60, 180, 1_440, 4_320, 10_080];

function SnoozeField({ step, onChange }: StepFieldsProps) {
  const { snoozeMinutes: own = null } = step;
  const minutes = own === null || lengths.includes(own) ? lengths : [...lengths, own].sort((a, b) => a - b);
  return (
    <Field label={t('macros.field.snooze')}>
      {(ids) => (
        <Select
          {...ids}
          value={own === null ? 'customer' : String(own)}
          onChange={(value) =>
            onChange({ ...step, snoozeMinutes: value === 'customer' ? null : Number(value) })
          }
          options={[
            ...minutes.map((one) => ({ value: String(one), label: lengthText(one) })),
            { value: 'customer', label: t('macros.field.untilCustomer') },
          ]}
        />
      )}
    </Field>
  );
}
