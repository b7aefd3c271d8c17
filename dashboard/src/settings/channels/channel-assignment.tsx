/** Who gets the conversations of a channel that need a person. */
import type { Channel, ChannelUpdate } from '../../../../contract/channels.ts';
import { type AssignmentMode, assignmentModes } from '../../../../contract/limits.ts';
import { useTeams } from '../../data/queries.ts';
import { t } from '../../texts/texts.ts';
import { SavedSelect } from '../parts/saved-fields.tsx';
import { Part } from '../parts/section.tsx';

const everyone = 'everyone';

export interface ChannelAssignmentProps {
  channel: Channel;
  change(body: ChannelUpdate): Promise<void>;
}

export function ChannelAssignment({ channel: { assignment }, change }: ChannelAssignmentProps) {
  const teams = useTeams();
  return (
    <Part title={t('channels.assignment')} text={t('channels.assignmentText')}>
      <SavedSelect<AssignmentMode>
        label={t('channels.assignmentMode')}
        hint={t(`channels.assignmentHint.${assignment.mode}`)}
        value={assignment.mode}
        options={assignmentModes.map((value) => ({ value, label: t(`channels.assignment.${value}`) }))}
        onSave={(mode) => change({ assignment: { mode } })}
      />
      {assignment.mode !== 'off' && (
        <SavedSelect
          label={t('channels.assignmentTeam')}
          value={assignment.teamId ?? everyone}
          options={[
            { value: everyone, label: t('channels.assignmentEveryone') },
            ...teams.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          onSave={(id) => change({ assignment: { teamId: id === everyone ? null : id } })}
        />
      )}
    </Part>
  );
}
