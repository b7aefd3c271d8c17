import { useState } from 'react';
import type { Role } from '../../../../contract/roles/roles.ts';
import { api } from '../../data/api.ts';
import { keys } from '../../data/queries.ts';
import { t } from '../../texts/texts.ts';
import { Field } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { reload, settingsKeys } from '../settings-data.ts';
import { rolesQuery, useRoleOptions } from './roles-data.ts';

export function DeleteRole({ role, onClose }: { role: Role; onClose(): void }) {
  const [replacement, setReplacement] = useState('operator');
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
      ready
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={t('roles.replacement')}>
        {(ids) => <Select {...ids} value={replacement} options={options} onChange={setReplacement} />}
      </Field>
    </FormDialog>
  );
}
