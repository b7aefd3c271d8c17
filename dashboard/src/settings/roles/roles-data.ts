/** Roles for lists and choices. A choice is `admin`, `operator` or the id of a role of the account. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import type { Role as BuiltIn } from '../../../../contract/limits.ts';
import type { Role } from '../../../../contract/roles/roles.ts';
import { api } from '../../data/api.ts';
import { t } from '../../texts/texts.ts';
import type { Option } from '../../ui/controls/select.tsx';

const rolesKey = ['roles'] as const;

export const rolesQuery = queryOptions({
  queryKey: rolesKey,
  queryFn: async ({ signal }) => (await api<{ items: Role[] }>('GET', '/roles', { signal })).items,
});

export const nameOfRole = ({ id, name, isBuiltIn }: Role): string =>
  isBuiltIn ? t(id === 'admin' ? 'users.admin' : 'users.operator') : name;

/** What the service stores of a choice. */
export const roleOf = (choice: string): { role: BuiltIn; roleId: string | null } =>
  choice === 'admin' || choice === 'operator'
    ? { role: choice, roleId: null }
    : { role: 'operator', roleId: choice };

export const choiceOf = ({ role, roleId }: { role: BuiltIn; roleId: string | null }): string =>
  roleId ?? role;

/** The built-in ones at once, the others when they are loaded. */
export function useRoleOptions(): Option[] {
  const { data: roles = [] } = useQuery(rolesQuery);
  return [
    { value: 'operator', label: t('users.operator') },
    { value: 'admin', label: t('users.admin') },
    ...roles.filter((role) => !role.isBuiltIn).map(({ id, name }) => ({ value: id, label: name })),
  ];
}
