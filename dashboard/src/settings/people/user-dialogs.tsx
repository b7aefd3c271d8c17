import { Dices } from 'lucide-react';
import { useState } from 'react';
import type { User } from '../../../../contract/accounts.ts';
import { limits } from '../../../../contract/limits.ts';
import { api } from '../../data/api.ts';
import { keys } from '../../data/queries.ts';
import { t } from '../../texts/texts.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { CopyButton } from '../../ui/controls/copy-field.tsx';
import { Field, Input } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { roleOf, rolesQuery, useRoleOptions } from '../roles/roles-data.ts';
import { reload } from '../settings-data.ts';

const { min } = limits.passwordLength;

export function NewUser({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [role, setRole] = useState('operator');
  const options = useRoleOptions();
  const [password, setPassword] = useState('');
  const submit = async () => {
    const body = { name: name.trim(), email: email.trim(), ...roleOf(role), password };
    await api('POST', '/users', { body });
    await Promise.all([reload(keys.users), reload(rolesQuery.queryKey)]);
    toast.done(t('users.added', { name: name.trim() }));
  };
  return (
    <FormDialog
      title={t('users.add')}
      description={t('users.addText')}
      action={t('users.add')}
      ready={name.trim() !== '' && email.includes('@') && password.length >= min}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={t('users.name')}
        autoFocus
        value={name}
        maxLength={limits.nameLength}
        onChange={setName}
      />
      <TextField label={t('users.email')} type="email" value={email} onChange={setEmail} />
      <Field label={t('users.role')} hint={t('users.roleHint')}>
        {(ids) => <Select {...ids} value={role} options={options} onChange={setRole} />}
      </Field>
      <PasswordField value={password} onChange={setPassword} />
    </FormDialog>
  );
}

export function SetPassword({ user, onClose }: { user: User; onClose(): void }) {
  const [password, setPassword] = useState('');
  const submit = async () => {
    await api('PATCH', `/users/${user.id}`, { body: { password } });
    toast.done(t('users.passwordSet', { name: user.name }));
  };
  return (
    <FormDialog
      title={t('users.setPasswordOf', { name: user.name })}
      description={t('users.setPasswordText')}
      action={t('users.setPassword')}
      ready={password.length >= min}
      onSubmit={submit}
      onClose={onClose}
    >
      <PasswordField value={password} onChange={setPassword} />
    </FormDialog>
  );
}

/** Readable, because it is passed on to someone else. */
export function PasswordField({ value, onChange }: { value: string; onChange(value: string): void }) {
  return (
    <Field label={t('users.password')} hint={t('users.passwordHint', { min })}>
      {(ids) => (
        <div className="flex items-center gap-1">
          <Input
            {...ids}
            value={value}
            className="font-mono text-sm"
            spellCheck={false}
            onChange={(event) => onChange(event.target.value)}
          />
          <IconButton label={t('users.makePassword')} onClick={() => onChange(newPassword())}>
            <Dices className="size-4" />
          </IconButton>
          {value !== '' && <CopyButton value={value} label={t('ui.copy')} />}
        </div>
      )}
    </Field>
  );
}

/** 20 letters and digits that cannot be mistaken for each other: some 110 bits. */
function newPassword(): string {
  const letters = 'abcdefghjkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
  const random = crypto.getRandomValues(new Uint32Array(20));
  return Array.from(random, (number) => letters[number % letters.length]).join('');
}
