import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Role } from '../../../../contract/roles/roles.ts';
import { api } from '../../data/api.ts';
import { keys } from '../../data/queries.ts';
import { language, t } from '../../texts/texts.ts';
import { Field } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { reload, settingsKeys } from '../settings-data.ts';
import { rolesQuery, useRoleOptions } from './roles-data.ts';

export function DeleteRole({ role, onClose }: { role: Role; onClose(): void }) {
  const [replacement, setReplacement] = useState<string>();
  const { data: roles = [] } = useQuery(rolesQuery);
  const next = roles.find(({ id }) => id === replacement)?.permissions ?? [];
  const gained = next.filter((one) => !role.permissions.includes(one));
  const options = useRoleOptions().filter(({ value }) => value !== 'admin' && value !== role.id);
  const submit = async () => {
    await api('DELETE', `/roles/${role.id}?replacement=${replacement}`);
    await Promise.all([rolesQuery.queryKey, keys.users, settingsKeys.invitations].map((key) => reload(key)));
    toast.done(t('roles.deleted', { name: role.name }));
  };
  return (
    <FormDialog
      title={t('roles.deleteTitle', { name: role.name })}
      description={t('roles.deleteText')}
      action={t('ui.delete')}
      ready={replacement !== undefined}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={t('roles.replacement')}>
        {(ids) => (
          <Select
            {...ids}
            value={replacement}
            options={options}
            placeholder={t('roles.choose')}
            onChange={setReplacement}
          />
        )}
      </Field>
      {gained.length > 0 && (
        <p role="status" className="rounded-control bg-warning-soft px-3 py-2 text-warning">
          {t('roles.gained', {
            list: new Intl.ListFormat(language()).format(gained.map((one) => t(`roles.permission.${one}`))),
          })}
        </p>
      )}
    </FormDialog>
  );
}
