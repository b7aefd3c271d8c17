import { useQuery } from '@tanstack/react-query';
import { Gauge, KeyRound, Link2, MoreHorizontal, ShieldOff, Trash2, UserPlus } from 'lucide-react';
import { useState } from 'react';
import type { User } from '../../../../contract/accounts.ts';
import { api } from '../../data/api.ts';
import { keys, usersQuery } from '../../data/queries.ts';
import { useSignedIn } from '../../data/session.ts';
import { ResetFactors } from '../../security/reset-factors.tsx';
import { t } from '../../texts/texts.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { Avatar } from '../../ui/display/avatar.tsx';
import { Badge } from '../../ui/display/badge.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/overlays/menu.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { EntityList } from '../parts/entity-list.tsx';
import { Row } from '../parts/rows.tsx';
import { Answer, Section } from '../parts/section.tsx';
import { choiceOf, roleOf, rolesQuery, useRoleOptions } from '../roles/roles-data.ts';
import { reload } from '../settings-data.ts';
import { Invitations } from './invitations.tsx';
import { InvitePerson, ResetLink } from './invite-person.tsx';
import { RemoveUser } from './remove-user.tsx';
import { SetCapacity } from './user-capacity.tsx';
import { NewUser, SetPassword } from './user-dialogs.tsx';

type UserAction = 'password' | 'link' | 'capacity' | 'factors' | 'remove';

export default function UsersSettings() {
  const users = useQuery(usersQuery);
  const [isNew, setNew] = useState(false);
  const [open, setOpen] = useState<{ what: UserAction; user: User } | null>(null);
  const [isInviting, setInviting] = useState(false);
  const close = () => setOpen(null);
  return (
    <Section
      title={t('settings.users')}
      description={t('users.text')}
      actions={
        <>
          <Button onClick={() => setNew(true)}>{t('users.add')}</Button>
          <Button tone="primary" icon={<UserPlus className="size-3.5" />} onClick={() => setInviting(true)}>
            {t('invitations.invite')}
          </Button>
        </>
      }
    >
      <Answer query={users}>
        {(people) => (
          <EntityList
            label={t('settings.users')}
            items={people}
            row={(user) => <UserRow key={user.id} user={user} onOpen={(what) => setOpen({ what, user })} />}
          />
        )}
      </Answer>
      <Invitations />
      {isInviting && <InvitePerson onClose={() => setInviting(false)} />}
      {open?.what === 'link' && <ResetLink user={open.user} onClose={close} />}
      {isNew && <NewUser onClose={() => setNew(false)} />}
      {open?.what === 'password' && <SetPassword user={open.user} onClose={close} />}
      {open?.what === 'capacity' && <SetCapacity user={open.user} onClose={close} />}
      {open?.what === 'factors' && <ResetFactors user={open.user} onClose={close} />}
      {open?.what === 'remove' && <RemoveUser user={open.user} onClose={close} />}
    </Section>
  );
}

function UserRow({ user, onOpen }: { user: User; onOpen(what: UserAction): void }) {
  const isMe = useSignedIn().user.id === user.id;
  const options = useRoleOptions();
  const [role, setRole] = useState(choiceOf(user));
  const change = async (next: string) => {
    setRole(next);
    try {
      await api('PATCH', `/users/${user.id}`, { body: roleOf(next) });
      await Promise.all([reload(keys.users), reload(rolesQuery.queryKey)]);
      toast.done(t('users.roleChanged', { name: user.name }));
    } catch (error) {
      setRole(choiceOf(user));
      toast.failed(t('users.roleFailed'), error);
    }
  };
  return (
    <Row
      stack
      mark={<Avatar id={user.id} name={user.name} size="large" tip={false} />}
      title={user.name}
      badges={
        <>
          {isMe && <Badge>{t('users.you')}</Badge>}
          {user.hasSecondFactor && <Badge>{t('security.has')}</Badge>}
          {user.availability === 'away' && <Badge>{t('users.away')}</Badge>}
        </>
      }
      text={`${user.email} · ${t('users.upTo', { count: user.capacity })}`}
      end={
        <>
          <Select
            label={t('users.roleOf', { name: user.name })}
            className="w-36!"
            value={role}
            // Users who removed their own rights could not restore them.
            disabled={isMe}
            options={options}
            onChange={(next) => void change(next)}
          />
          <Menu
            align="end"
            trigger={
              <IconButton label={t('users.actions', { name: user.name })} tip={false}>
                <MoreHorizontal className="size-4" />
              </IconButton>
            }
          >
            <MenuItem icon={<KeyRound className="size-4" />} onSelect={() => onOpen('password')}>
              {t('users.setPassword')}
            </MenuItem>
            <MenuItem icon={<Link2 className="size-4" />} onSelect={() => onOpen('link')}>
              {t('invitations.reset')}
            </MenuItem>
            <MenuItem icon={<Gauge className="size-4" />} onSelect={() => onOpen('capacity')}>
              {t('users.setCapacity')}
            </MenuItem>
            {!isMe && user.hasSecondFactor && (
              <MenuItem icon={<ShieldOff className="size-4" />} onSelect={() => onOpen('factors')}>
                {t('security.reset')}
              </MenuItem>
            )}
            {!isMe && (
              <>
                <MenuLine />
                <MenuItem danger icon={<Trash2 className="size-4" />} onSelect={() => onOpen('remove')}>
                  {t('users.remove')}
                </MenuItem>
              </>
            )}
          </Menu>
        </>
      }
    />
  );
}
