/** Invitations that were not accepted yet. */
import { useQuery } from '@tanstack/react-query';
import { Link2, Mail, MoreHorizontal, Send, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Invitation, InvitationSent } from '../../../../contract/sign-in/sign-in.ts';
import { api } from '../../data/api.ts';
import { shortDate } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { Badge } from '../../ui/display/badge.tsx';
import { Menu, MenuItem, MenuLine } from '../../ui/overlays/menu.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { EntityList } from '../parts/entity-list.tsx';
import { Row, RowIcon } from '../parts/rows.tsx';
import { SecretDialog } from '../parts/secret-dialog.tsx';
import { Part } from '../parts/section.tsx';
import { choiceOf, useRoleOptions } from '../roles/roles-data.ts';
import { invitationsQuery, reload, settingsKeys } from '../settings-data.ts';

export function Invitations() {
  const invitations = useQuery(invitationsQuery);
  const [sent, setSent] = useState<InvitationSent | null>(null);
  if (!invitations.data || invitations.data.length === 0) return null;
  return (
    <Part title={t('invitations.title')} text={t('invitations.text')}>
      <EntityList
        label={t('invitations.title')}
        items={invitations.data}
        row={(invitation) => <InvitationRow key={invitation.id} invitation={invitation} onLink={setSent} />}
      />
      {sent && <InvitationLink invitation={sent} onClose={() => setSent(null)} />}
    </Part>
  );
}

function InvitationRow({
  invitation,
  onLink,
}: {
  invitation: Invitation;
  onLink(invitation: InvitationSent): void;
}) {
  const { id, email, expiresAt, invitedBy, mailStatus } = invitation;
  const options = useRoleOptions();
  const isOver = expiresAt < Date.now();
  const sendAgain = async () => {
    try {
      const sent = await api<InvitationSent>('POST', `/invitations/${id}/send`);
      await reload(settingsKeys.invitations);
      if (sent.link) onLink(sent);
      else toast.done(t('invitations.sent', { email }));
    } catch (error) {
      toast.failed(t('invitations.sendFailed'), error);
    }
  };
  const getLink = async () => {
    try {
      onLink(await api<InvitationSent>('POST', `/invitations/${id}/link`));
      await reload(settingsKeys.invitations);
    } catch (error) {
      toast.failed(t('invitations.getLinkFailed'), error);
    }
  };
  const withdraw = async () => {
    try {
      await api('DELETE', `/invitations/${id}`);
      await reload(settingsKeys.invitations);
      toast.done(t('invitations.withdrawn', { email }));
    } catch (error) {
      toast.failed(t('invitations.withdrawFailed'), error);
    }
  };
  const until = isOver ? '' : ` · ${t('invitations.until', { date: shortDate(expiresAt) })}`;
  return (
    <Row
      mark={
        <RowIcon>
          <Mail className="size-4" />
        </RowIcon>
      }
      title={email}
      badges={
        <>
          <Badge>{options.find(({ value }) => value === choiceOf(invitation))?.label}</Badge>
          {isOver && <Badge>{t('invitations.expired')}</Badge>}
        </>
      }
      text={`${t('invitations.by', { name: invitedBy.name })}${until}`}
      note={!isOver && <MailState invitation={invitation} />}
      stack={mailStatus === 'failed'}
      end={
        <>
          {mailStatus === 'failed' && !isOver && (
            <Button size="small" onClick={() => void getLink()}>
              {t('invitations.getLink')}
            </Button>
          )}
          <Menu
            align="end"
            trigger={
              <IconButton label={t('users.actions', { name: email })} tip={false}>
                <MoreHorizontal className="size-4" />
              </IconButton>
            }
          >
            <MenuItem icon={<Send className="size-4" />} onSelect={() => void sendAgain()}>
              {t('invitations.again')}
            </MenuItem>
            <MenuItem icon={<Link2 className="size-4" />} onSelect={() => void getLink()}>
              {t('invitations.getLink')}
            </MenuItem>
            <MenuLine />
            <MenuItem danger icon={<Trash2 className="size-4" />} onSelect={() => void withdraw()}>
              {t('invitations.withdraw')}
            </MenuItem>
          </Menu>
        </>
      }
    />
  );
}

/** The reason is in the words of the mail server. */
function MailState({ invitation: { mailStatus, mailProblem } }: { invitation: Invitation }) {
  if (mailStatus === null || mailStatus === 'sent') return null;
  if (mailStatus === 'sending') return <span className="text-muted">{t('invitations.mail.sending')}</span>;
  const isFailed = mailStatus === 'failed';
  const reason = mailProblem ?? '';
  return (
    <span className="flex flex-col items-start gap-1 pt-1">
      <Badge hue={isFailed ? 'red' : 'orange'}>
        {isFailed ? t('invitations.mail.failed') : t('invitations.mail.delayed')}
      </Badge>
      <span className="max-w-full text-pretty break-words text-muted">
        {isFailed
          ? t('invitations.mail.failedText', { reason })
          : t('invitations.mail.delayedText', { reason })}
      </span>
    </span>
  );
}

export const InvitationLink = ({ invitation, onClose }: { invitation: InvitationSent; onClose(): void }) => (
  <SecretDialog
    title={t('invitations.linkTitle', { email: invitation.email })}
    text={t('invitations.linkText')}
    secret={invitation.link ?? ''}
    label={t('invitations.copy')}
    onClose={onClose}
  />
);
