/** Who owns the conversation: one button in the header, with people to search and the team below them. */
import { UserRoundPlus, UserRoundX } from 'lucide-react';
import { useState } from 'react';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import { useShortcut } from '../../app/shortcuts.tsx';
import { useKanbans, useTeams, useUsers } from '../../data/queries.ts';
import { useMay, useSignedIn } from '../../data/session.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Picker } from '../../ui/controls/picker.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { Avatar } from '../../ui/display/avatar.tsx';
import { setOwnership } from '../data/owners.ts';

const nobody = 'nobody';

/** Without the choice for people who may not change it. */
export function OwnerPicker({ session }: { session: InboxSession }) {
  const mayAssign = useMay('conversations.reply');
  const owner = useUsers().find(({ id }) => id === session.assignedUserId);
  if (mayAssign) return <OwnerChoice session={session} />;
  if (!owner) return null;
  const label = t('inbox.owner.is', { name: owner.name });
  return (
    <span title={label} className="flex shrink-0 items-center gap-1.5 text-muted">
      <span className="sr-only">{label}</span>
      <Avatar id={owner.id} name={owner.name} tip={false} />
      <span aria-hidden className="max-w-28 truncate @max-3xl:sr-only">
        {owner.name}
      </span>
    </span>
  );
}

function OwnerChoice({ session }: { session: InboxSession }) {
  const [isOpen, setIsOpen] = useState(false);
  const { user: me } = useSignedIn();
  const people = usePossibleOwners(session);
  const { assignedUserId } = session;
  const owner = useUsers().find(({ id }) => id === assignedUserId);
  const team = useTeams().find(({ id }) => id === session.teamId);
  const assign = (id: string | null) => {
    const name = people.find((one) => one.id === id)?.name ?? '';
    const done =
      id === null
        ? t('inbox.owner.released')
        : id === me.id
          ? t('inbox.owner.tookIt')
          : t('inbox.owner.given', { name });
    if (id !== assignedUserId) setOwnership(session, { assignedUserId: id }, done);
  };
  useShortcut('a', () => assign(me.id), {
    label: t('inbox.owner.toMe'),
    group: 'inbox',
    enabled: assignedUserId !== me.id,
    isChange: true,
  });
  useShortcut('shift+a', () => setIsOpen(true), { label: t('inbox.owner.assign'), group: 'inbox' });
  useShortcut('shift+u', () => assign(null), {
    label: t('inbox.owner.release'),
    group: 'inbox',
    enabled: assignedUserId !== null,
    isChange: true,
  });
  const shown = [owner?.name ?? t('inbox.owner.none'), team?.name].filter(Boolean).join(' · ');
  // With all that is shown: people say what they see to a voice control.
  const label = owner ? t('inbox.owner.is', { name: shown }) : shown;
  return (
    <Picker
      align="end"
      label={t('inbox.owner.assign')}
      open={isOpen}
      onOpenChange={setIsOpen}
      chosen={[assignedUserId ?? nobody]}
      options={[
        { value: nobody, label: t('inbox.owner.nobody'), mark: <UserRoundX className="size-4 text-faint" /> },
        ...people.map((one) => ({
          value: one.id,
          label: optionLabel(one, me.id),
          mark: <Avatar id={one.id} name={one.name} tip={false} />,
        })),
      ]}
      onChange={([id]) => id !== undefined && assign(id === nobody ? null : id)}
      footer={<TeamSelect session={session} />}
      trigger={
        <Button
          title={label}
          aria-label={label}
          icon={
            owner ? (
              <Avatar id={owner.id} name={owner.name} tip={false} />
            ) : (
              <UserRoundPlus className="size-4" />
            )
          }
        >
          <span className="max-w-28 truncate @max-3xl:sr-only">{shown}</span>
        </Button>
      }
    />
  );
}

const optionLabel = (
  { id, name, availability }: { id: string; name: string; availability: string },
  me: string,
): string =>
  id === me
    ? t('inbox.owner.me', { name })
    : availability === 'away'
      ? t('inbox.owner.away', { name })
      : name;

/** The reader first. Only who may see the board can own its conversations. */
function usePossibleOwners({ kanbanId }: InboxSession) {
  const { user: me } = useSignedIn();
  const memberIds = useKanbans().find(({ id }) => id === kanbanId)?.memberIds ?? [];
  return useUsers()
    .filter(({ id, role }) => role === 'admin' || memberIds.length === 0 || memberIds.includes(id))
    .toSorted((a, b) => Number(b.id === me.id) - Number(a.id === me.id));
}

function TeamSelect({ session }: { session: InboxSession }) {
  const teams = useTeams();
  if (teams.length === 0) return null;
  const choose = (value: string) => {
    const teamId = value === nobody ? null : value;
    const name = teams.find(({ id }) => id === teamId)?.name ?? '';
    const done = teamId === null ? t('inbox.owner.noTeamNow') : t('inbox.owner.given', { name });
    setOwnership(session, { teamId }, done);
  };
  return (
    <div className="flex items-center gap-2 px-1 py-0.5">
      <span className="shrink-0 pl-1 text-muted">{t('inbox.owner.team')}</span>
      <Select
        label={t('inbox.owner.team')}
        className="min-w-0 flex-1"
        value={session.teamId ?? nobody}
        options={[
          { value: nobody, label: t('inbox.owner.noTeam') },
          ...teams.map(({ id, name }) => ({ value: id, label: name })),
        ]}
        onChange={choose}
      />
    </div>
  );
}
