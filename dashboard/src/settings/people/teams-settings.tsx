import { useQuery } from '@tanstack/react-query';
import { UsersRound } from 'lucide-react';
import { useState } from 'react';
import { limits } from '../../../../contract/limits.ts';
import type { Team } from '../../../../contract/teams.ts';
import { RulesUsing } from '../../automations/rules-using.tsx';
import { api } from '../../data/api.ts';
import { keys, teamsQuery, usePersonOf } from '../../data/queries.ts';
import { t, tn } from '../../texts/texts.ts';
import { TextField } from '../../ui/controls/text-field.tsx';
import { AvatarStack } from '../../ui/display/avatar.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { useHours } from '../hours/hours-data.ts';
import { ConfirmDelete } from '../parts/confirm-delete.tsx';
import { CreateButton, EntityList } from '../parts/entity-list.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { OptionalSelect } from '../parts/optional-select.tsx';
import { PeoplePicker } from '../parts/people-picker.tsx';
import { Row } from '../parts/rows.tsx';
import { Answer, Section } from '../parts/section.tsx';
import { reload } from '../settings-data.ts';

export default function TeamsSettings() {
  const teams = useQuery(teamsQuery);
  const personOf = usePersonOf();
  const [open, setOpen] = useState<Team | 'new' | null>(null);
  const [deleting, setDeleting] = useState<Team | null>(null);
  return (
    <Section
      title={t('settings.teams')}
      description={t('teams.text')}
      actions={<CreateButton label={t('teams.new')} onClick={() => setOpen('new')} />}
    >
      <Answer query={teams}>
        {(list) => (
          <EntityList
            label={t('settings.teams')}
            items={list}
            empty={{
              icon: <UsersRound className="size-4" />,
              title: t('teams.empty'),
              text: t('teams.emptyText'),
            }}
            search={{ label: t('teams.search'), textOf: (team) => team.name }}
            row={(team) => (
              <Row
                key={team.id}
                title={team.name}
                text={tn('teams.members', team.userIds.length)}
                end={
                  <AvatarStack
                    people={team.userIds.flatMap((id) => personOf(id) ?? [])}
                    most={5}
                    tip={false}
                  />
                }
                onOpen={() => setOpen(team)}
              />
            )}
          />
        )}
      </Answer>
      {open && (
        <TeamDialog
          team={open === 'new' ? null : open}
          onClose={() => setOpen(null)}
          onDelete={(team) => {
            setOpen(null);
            setDeleting(team);
          }}
        />
      )}
      {deleting && <DeleteTeam team={deleting} onClose={() => setDeleting(null)} />}
    </Section>
  );
}

function TeamDialog({
  team,
  onClose,
  onDelete,
}: {
  team: Team | null;
  onClose(): void;
  onDelete(team: Team): void;
}) {
  const hours = useHours();
  const [name, setName] = useState(team?.name ?? '');
  const [userIds, setUserIds] = useState<readonly string[]>(team?.userIds ?? []);
  const [hoursId, setHoursId] = useState(team?.hoursId ?? null);
  const submit = async () => {
    const body = { name: name.trim(), userIds, hoursId };
    if (team) await api('PATCH', `/teams/${team.id}`, { body });
    else await api('POST', '/teams', { body });
    await reload(keys.teams);
  };
  return (
    <FormDialog
      title={team ? t('teams.edit') : t('teams.new')}
      action={team ? t('ui.save') : t('ui.create')}
      ready={name.trim() !== ''}
      onSubmit={submit}
      onClose={onClose}
      onDelete={team ? () => onDelete(team) : undefined}
    >
      <TextField
        label={t('teams.name')}
        autoFocus
        value={name}
        maxLength={limits.nameLength}
        onChange={setName}
      />
      <PeoplePicker
        label={t('teams.people')}
        none={t('teams.nobody')}
        chosen={userIds}
        onChange={setUserIds}
      />
      <OptionalSelect
        label={t('settings.hours')}
        hint={t('teams.hoursHint')}
        none={t('teams.channelHours')}
        value={hoursId ?? undefined}
        options={hours.map((one) => ({ value: one.id, label: one.name }))}
        onChange={(id) => setHoursId(id ?? null)}
      />
    </FormDialog>
  );
}

/** Its conversations would not come back with an undo, so there is none. */
function DeleteTeam({ team: { id, name }, onClose }: { team: Team; onClose(): void }) {
  return (
    <ConfirmDelete
      title={t('teams.deleteTitle', { name })}
      onClose={onClose}
      onDelete={async () => {
        await api('DELETE', `/teams/${id}`);
        await Promise.all([reload(keys.teams), reload(keys.channels), reload(keys.sessions)]);
        toast.done(t('teams.deleted', { name }));
      }}
    >
      <RulesUsing id={id} />
      <p className="text-muted">{t('teams.deleteText')}</p>
    </ConfirmDelete>
  );
}
