import { useQuery } from '@tanstack/react-query';
import { Building2, Plus } from 'lucide-react';
import { useState } from 'react';
import { limits } from '../../../../contract/limits.ts';
import { api } from '../../data/api.ts';
import { useSignedIn } from '../../data/session.ts';
import { bytes, number } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field, Input } from '../../ui/controls/input.tsx';
import { Badge } from '../../ui/display/badge.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Row, RowIcon, Rows } from '../parts/rows.tsx';
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
      actions={
        <Button tone="primary" icon={<Plus className="size-3.5" />} onClick={() => setNew(true)}>
          {t('accounts.new')}
        </Button>
      }
    >
      <Answer query={accounts}>
        {(list) => (
          <Rows label={t('settings.accounts')}>
            {list.map((account) => (
              <Row
                key={account.id}
                to={{ section: 'accounts', itemId: account.id }}
                mark={
                  <RowIcon>
                    <Building2 className="size-4" />
                  </RowIcon>
                }
                title={account.name}
                badges={account.id === own.id && <Badge>{t('accounts.own')}</Badge>}
                text={t('accounts.limits', {
                  crm: number(account.limits.crmPerMinute),
                  hour: number(account.limits.crmPerHour),
                  messages: number(account.limits.messagesPerMinute),
                  storage: bytes(account.limits.storageBytes),
                  replies: number(account.limits.aiRepliesPerDay),
                })}
              />
            ))}
          </Rows>
        )}
      </Answer>
      {isNew && <NewAccount onClose={() => setNew(false)} />}
    </Section>
  );
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
      <Field label={t('accounts.name')}>
        {(ids) => (
          <Input
            {...ids}
            autoFocus
            value={name}
            maxLength={limits.nameLength}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field label={t('accounts.adminEmail')}>
        {(ids) => (
          <Input
            {...ids}
            type="email"
            value={adminEmail}
            onChange={(event) => setEmail(event.target.value)}
          />
        )}
      </Field>
      <PasswordField value={adminPassword} onChange={setPassword} />
    </FormDialog>
  );
}
