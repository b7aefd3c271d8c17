import { useQuery } from '@tanstack/react-query';
import { Building2 } from 'lucide-react';
import { useState } from 'react';
import type { ListedAccount } from '../../../../contract/accounts.ts';
import { limits } from '../../../../contract/limits.ts';
import { api } from '../../data/api.ts';
import { useSignedIn } from '../../data/session.ts';
import { bytes, number } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { TextField } from '../../ui/controls/text-field.tsx';
import { Badge } from '../../ui/display/badge.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { CreateButton, EntityList } from '../parts/entity-list.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Row, RowIcon } from '../parts/rows.tsx';
import { Answer, Section } from '../parts/section.tsx';
import { PasswordField } from '../people/user-dialogs.tsx';
import { accountsQuery, reload, settingsKeys } from '../settings-data.ts';

export default function AccountsSettings() {
  const accounts = useQuery(accountsQuery);
  const { account: own } = useSignedIn();
  const [isNew, setNew] = useState(false);
  return (
    <Section
      title={t('settings.accounts')}
      description={t('accounts.text')}
      actions={<CreateButton label={t('accounts.new')} onClick={() => setNew(true)} />}
    >
      <Answer query={accounts}>
        {(list) => (
          <EntityList
            label={t('settings.accounts')}
            items={list}
            row={(account) => (
              <Row
                key={account.id}
                to={{ section: 'accounts', itemId: account.id }}
                mark={
                  <RowIcon>
                    <Building2 className="size-4" />
                  </RowIcon>
                }
                title={account.name}
                badges={<AccountBadge account={account} isOwn={account.id === own.id} />}
                text={t('accounts.limits', {
                  crm: number(account.limits.crmPerMinute),
                  hour: number(account.limits.crmPerHour),
                  messages: number(account.limits.messagesPerMinute),
                  storage: bytes(account.limits.storageBytes),
                  replies: number(account.limits.aiRepliesPerDay),
                })}
              />
            )}
          />
        )}
      </Answer>
      {isNew && <NewAccount onClose={() => setNew(false)} />}
    </Section>
  );
}

function AccountBadge({ account, isOwn }: { account: ListedAccount; isOwn: boolean }) {
  if (isOwn) return <Badge>{t('accounts.own')}</Badge>;
  if (account.deletingSince !== null) return <Badge hue="red">{t('accounts.deleting')}</Badge>;
  return account.suspendedAt === null ? null : <Badge hue="orange">{t('accounts.suspended')}</Badge>;
}

function NewAccount({ onClose }: { onClose(): void }) {
  const [name, setName] = useState('');
  const [adminEmail, setEmail] = useState('');
  const [adminPassword, setPassword] = useState('');
  const submit = async () => {
    const body = { name: name.trim(), adminEmail: adminEmail.trim(), adminPassword };
    await api('POST', '/admin/accounts', { body });
    await reload(settingsKeys.accounts);
    toast.done(t('accounts.created', { name: body.name }));
  };
  return (
    <FormDialog
      title={t('accounts.new')}
      description={t('accounts.newText')}
      action={t('ui.create')}
      ready={
        name.trim() !== '' && adminEmail.includes('@') && adminPassword.length >= limits.passwordLength.min
      }
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label={t('accounts.name')}
        autoFocus
        value={name}
        maxLength={limits.nameLength}
        onChange={setName}
      />
      <TextField label={t('accounts.adminEmail')} type="email" value={adminEmail} onChange={setEmail} />
      <PasswordField value={adminPassword} onChange={setPassword} />
    </FormDialog>
  );
}
