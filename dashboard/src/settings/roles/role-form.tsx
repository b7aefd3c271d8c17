import { useState } from 'react';
import { limits } from '../../../../contract/limits.ts';
import {
  type Permission,
  permissionGroups,
  permissionRules,
  permissionsOfRole,
} from '../../../../contract/roles/permissions.ts';
import type { Role } from '../../../../contract/roles/roles.ts';
import { api } from '../../data/api.ts';
import { useUsers } from '../../data/queries.ts';
import { t } from '../../texts/texts.ts';
import { TextField } from '../../ui/controls/text-field.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { CheckList } from '../parts/choices.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { reload } from '../settings-data.ts';
import { rolesQuery } from './roles-data.ts';

/** A new role begins with the rights of an operator. */
export function RoleForm({
  role,
  onClose,
  onDelete,
}: {
  role: Role | null;
  onClose(): void;
  onDelete(role: Role): void;
}) {
  const [name, setName] = useState(role?.name ?? '');
  const [description, setDescription] = useState(role?.description ?? '');
  const [chosen, setChosen] = useState<readonly Permission[]>(
    role?.permissions ?? permissionsOfRole.operator,
  );
  const submit = async () => {
    const body = { name: name.trim(), description: description.trim(), permissions: chosen };
    if (role) await api('PATCH', `/roles/${role.id}`, { body });
    else await api('POST', '/roles', { body });
    await reload(rolesQuery.queryKey);
    toast.done(t('roles.saved', { name: body.name }));
  };
  return (
    <FormDialog
      title={role ? t('roles.edit') : t('roles.new')}
      description={t('roles.boards')}
      action={role ? t('ui.save') : t('ui.create')}
      ready={name.trim() !== ''}
      onSubmit={submit}
      onClose={onClose}
      wide
      onDelete={role ? () => onDelete(role) : undefined}
    >
      <TextField
        label={t('roles.name')}
        autoFocus
        value={name}
        maxLength={limits.nameLength}
        onChange={setName}
      />
      <TextField
        label={t('roles.description')}
        value={description}
        maxLength={limits.roleDescription}
        onChange={setDescription}
      />
      {permissionGroups.map((group) => {
        const names = permissionRules.filter((rule) => rule.group === group).map((rule) => rule.name);
        return (
          <CheckList<Permission>
            key={group}
            label={t(`roles.group.${group}`)}
            choices={names.map((value) => ({ value, label: t(`roles.permission.${value}`) }))}
            chosen={chosen}
            onChange={(next) => setChosen(withNeeds(chosen, names, next))}
          />
        );
      })}
      {role && <Holders roleId={role.id} />}
    </FormDialog>
  );
}

function Holders({ roleId }: { roleId: string }) {
  const people = useUsers().filter((user) => user.roleId === roleId);
  return (
    <div>
      <h3 className="mb-1 font-medium">{t('roles.who')}</h3>
      <p className="text-muted">{people.map(({ name }) => name).join(', ') || t('roles.nobody')}</p>
    </div>
  );
}

/** What is ticked in one group, with what it needs; what needs something that was unticked goes too. */
function withNeeds(
  before: readonly Permission[],
  group: readonly Permission[],
  ticked: readonly Permission[],
): Permission[] {
  const next = new Set(before.filter((one) => !group.includes(one)).concat(ticked));
  const removed = group.filter((one) => before.includes(one) && !next.has(one));
  const isWithout = (one: Permission | null): boolean =>
    one !== null && (removed.includes(one) || isWithout(needsOf(one)));
  for (const one of [...next]) {
    if (isWithout(needsOf(one))) next.delete(one);
  }
  for (const one of [...next]) {
    for (let needed = needsOf(one); needed; needed = needsOf(needed)) next.add(needed);
  }
  return permissionRules.map(({ name }) => name).filter((name) => next.has(name));
}

const needsOf = (name: Permission) => permissionRules.find((rule) => rule.name === name)?.needs ?? null;
