import { useState } from 'react';
import type { Static } from 'typebox';
import type { ApiTokenCreated } from '../../../../contract/accounts.ts';
import { defaultScopes, limits, type Scope, scopes } from '../../../../contract/limits.ts';
import { api } from '../../data/api.ts';
import { readAddresses } from '../../security/factor-data.ts';
import { AddressesField } from '../../security/token-addresses.tsx';
import { t } from '../../texts/texts.ts';
import { Field } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { CheckList } from '../parts/choices.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { reload, settingsKeys } from '../settings-data.ts';

export type CreatedToken = Static<typeof ApiTokenCreated>;

const lives = ['30', '90', '365', 'never', 'date'] as const;

type Life = (typeof lives)[number];

export function NewToken({ onClose, onCreated }: { onClose(): void; onCreated(token: CreatedToken): void }) {
  const [name, setName] = useState('');
  const [granted, setGranted] = useState<Scope[]>([...defaultScopes]);
  const [life, setLife] = useState<Life>('90');
  const [date, setDate] = useState('');
  const [addresses, setAddresses] = useState('');
  const labels: { [life in Life]: string } = {
    30: t('tokens.days', { days: 30 }),
    90: t('tokens.days', { days: 90 }),
    365: t('tokens.year'),
    never: t('tokens.never'),
    date: t('tokens.onDate'),
  };
  const expiresAt = () => {
    if (life === 'never') return null;
    // Until the end of that day in the user's time zone.
    if (life === 'date') return new Date(`${date}T23:59:59`).getTime();
    return Date.now() + Number(life) * 86_400_000;
  };
  const submit = async () => {
    const allowedAddresses = readAddresses(addresses);
    const body = { name: name.trim(), scopes: granted, expiresAt: expiresAt(), allowedAddresses };
    const token = await api<CreatedToken>('POST', '/api-tokens', { body });
    await reload(settingsKeys.tokens);
    onCreated(token);
  };
  return (
    <FormDialog
      title={t('tokens.new')}
      description={t('tokens.newText')}
      action={t('ui.create')}
      ready={name.trim() !== '' && granted.length > 0 && (life !== 'date' || date !== '')}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={t('tokens.name')}
        hint={t('tokens.nameHint')}
        autoFocus
        value={name}
        maxLength={limits.nameLength}
        onChange={setName}
      />
      <CheckList<Scope>
        label={t('tokens.scopes')}
        mono
        choices={scopes.map((scope) => ({ value: scope, label: scope, hint: t(`tokens.scope.${scope}`) }))}
        chosen={granted}
        onChange={setGranted}
      />
      <Field label={t('tokens.life')}>
        {(ids) => (
          <Select<Life>
            {...ids}
            value={life}
            options={lives.map((value) => ({ value, label: labels[value] }))}
            onChange={setLife}
          />
        )}
      </Field>
      {life === 'date' && (
        <TextField
          label={t('tokens.lastDay')}
          type="date"
          min={new Date().toISOString().slice(0, 10)}
          value={date}
          onChange={setDate}
        />
      )}
      <AddressesField value={addresses} onChange={setAddresses} />
    </FormDialog>
  );
}
