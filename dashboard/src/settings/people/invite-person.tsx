import { useState } from 'react';
import type { User } from '../../../../contract/accounts.ts';
import type { InvitationSent } from '../../../../contract/sign-in/sign-in.ts';
import { api } from '../../data/api.ts';
import { t } from '../../texts/texts.ts';
import { Field } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { SecretDialog } from '../parts/secret-dialog.tsx';
import { roleOf, useRoleOptions } from '../roles/roles-data.ts';
import { reload, settingsKeys } from '../settings-data.ts';
import { InvitationLink } from './invitations.tsx';

export function InvitePerson({ onClose }: { onClose(): void }) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState('operator');
  const options = useRoleOptions();
  const [sent, setSent] = useState<InvitationSent | null>(null);
  const submit = async () => {
    const invitation = await api<InvitationSent>('POST', '/invitations', {
      body: { email: email.trim(), ...roleOf(role) },
    });
    await reload(settingsKeys.invitations);
    if (invitation.link) return setSent(invitation);
    toast.done(t('invitations.sent', { email: invitation.email }));
    onClose();
  };
  if (sent) return <InvitationLink invitation={sent} onClose={onClose} />;
  return (
    <FormDialog
      title={t('invitations.invite')}
      description={t('invitations.inviteText')}
      action={t('invitations.invite')}
      ready={email.includes('@')}
      onSubmit={submit}
      onClose={onClose}
      stay
    >
      <TextField label={t('users.email')} type="email" autoFocus value={email} onChange={setEmail} />
      <Field label={t('users.role')} hint={t('users.roleHint')}>
        {(ids) => <Select {...ids} value={role} options={options} onChange={setRole} />}
      </Field>
    </FormDialog>
  );
}

/** A link for someone who cannot get it by e-mail. */
export function ResetLink({ user, onClose }: { user: User; onClose(): void }) {
  const [link, setLink] = useState('');
  const submit = async () => {
    const created = await api<{ link: string }>('POST', `/users/${user.id}/password-reset`);
    setLink(created.link);
  };
  if (link) {
    return (
      <SecretDialog
        title={t('invitations.resetOf', { name: user.name })}
        text={t('invitations.resetLinkText')}
        secret={link}
        label={t('invitations.copy')}
        onClose={onClose}
      />
    );
  }
  return (
    <FormDialog
      title={t('invitations.resetOf', { name: user.name })}
      action={t('invitations.createLink')}
      ready
      onSubmit={submit}
      onClose={onClose}
      stay
    >
      <p className="text-pretty text-muted">{t('invitations.resetText')}</p>
    </FormDialog>
  );
}
