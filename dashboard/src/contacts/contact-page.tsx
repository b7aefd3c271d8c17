/** One person: how they can be reached, what they wrote, their cards, and who may be the same person. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { ArrowLeft, Ban, Merge, UserX } from 'lucide-react';
import { useState } from 'react';
import type { ContactDetails } from '../../../contract/contacts.ts';
import { PageHeader } from '../app/page-header.tsx';
import { ApiError } from '../data/errors.ts';
import { useMay } from '../data/session.ts';
import { shortDate } from '../texts/format.ts';
import { t } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { Avatar } from '../ui/display/avatar.tsx';
import { EmptyState, ErrorState, Skeleton } from '../ui/display/states.tsx';
import { BlockContact } from './block-contact.tsx';
import { setContactBlocked } from './contact-actions.ts';
import { ContactCards } from './contact-cards.tsx';
import { ContactConversations } from './contact-conversations.tsx';
import { contactQuery } from './contact-data.ts';
import { ContactIdentifiers } from './contact-identifiers.tsx';
import { ContactPrivacy } from './contact-privacy.tsx';
import { contactName } from './contact-words.tsx';
import { MergeDialog } from './merge-dialog.tsx';
import { MergeList } from './merge-list.tsx';
import { MergeOffers } from './merge-offers.tsx';
import { NameEditor } from './name-editor.tsx';

export function ContactPage() {
  const { contactId } = useParams({ from: '/shell/contacts/$contactId' });
  const query = useQuery(contactQuery(contactId));
  if (query.data) return <KnownContact key={contactId} contact={query.data} />;
  return (
    <>
      <PageHeader title={t('contacts.contact')} mark={<BackLink />} />
      {query.isError ? (
        query.error instanceof ApiError && query.error.status === 404 ? (
          <NoContact />
        ) : (
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        )
      ) : (
        <div role="status" aria-label={t('ui.loading')} className="mx-auto flex w-full max-w-3xl gap-3 p-6">
          <Skeleton className="size-10 rounded-full" />
          <Skeleton className="h-8 w-56" />
        </div>
      )}
    </>
  );
}

function NoContact() {
  const navigate = useNavigate();
  return (
    <EmptyState
      icon={<UserX className="size-4" />}
      title={t('contacts.gone')}
      text={t('contacts.goneText')}
      action={<Button onClick={() => void navigate({ to: '/contacts' })}>{t('contacts.all')}</Button>}
    />
  );
}

const BackLink = () => (
  <Link
    to="/contacts"
    aria-label={t('contacts.all')}
    title={t('contacts.all')}
    className="-ml-1 flex size-7 items-center justify-center rounded-control text-muted hover:bg-hover hover:text-ink"
  >
    <ArrowLeft className="size-4" />
  </Link>
);

function KnownContact({ contact }: { contact: ContactDetails }) {
  const [asked, setAsked] = useState<'merge' | 'block' | null>(null);
  const name = contactName(contact);
  const mayEdit = useMay('contacts.edit');
  const canBlock = useMay('contacts.block') && contact.identifiers.length > 0;
  const seesRecords = useMay('records.view');
  return (
    <>
      <PageHeader
        title={name}
        mark={<BackLink />}
        actions={
          <>
            {mayEdit && (
              <Button icon={<Merge className="size-3.5" />} onClick={() => setAsked('merge')}>
                {t('contacts.merge')}
              </Button>
            )}
            {!contact.blocked && canBlock && (
              <Button icon={<Ban className="size-3.5" />} onClick={() => setAsked('block')}>
                {t('contacts.block')}
              </Button>
            )}
          </>
        }
      />
      <div className="min-h-0 flex-1 overflow-y-auto">
        <div className="mx-auto flex max-w-3xl flex-col gap-6 px-4 pt-5 pb-16 md:px-6">
          <div className="flex items-start gap-3">
            <Avatar id={contact.id} name={name} size="large" tip={false} className="mt-1" />
            <div className="min-w-0 flex-1">
              <NameEditor contact={contact} />
              <p className="text-muted">{t('contacts.since', { date: shortDate(contact.createdAt) })}</p>
            </div>
          </div>
          {contact.blocked && <BlockedBar contact={contact} />}
          {mayEdit && <MergeOffers contact={contact} />}
          <ContactIdentifiers contact={contact} />
          <ContactConversations contactId={contact.id} />
          {seesRecords && <ContactCards recordIds={contact.recordIds} />}
          <MergeList contact={contact} />
          <ContactPrivacy contact={contact} />
        </div>
      </div>
      {asked === 'merge' && <MergeDialog contact={contact} onClose={() => setAsked(null)} />}
      {asked === 'block' && <BlockContact contact={contact} onClose={() => setAsked(null)} />}
    </>
  );
}

function BlockedBar({ contact }: { contact: ContactDetails }) {
  const mayUnblock = useMay('contacts.block');
  return (
    <div className="flex items-center gap-2 rounded-panel bg-danger-soft px-3 py-2 text-danger">
      <Ban aria-hidden className="size-4 shrink-0" />
      <p className="min-w-0 flex-1 text-pretty">{t('contacts.blockedText')}</p>
      {mayUnblock && (
        <Button size="small" onClick={() => void setContactBlocked(contact, false)}>
          {t('contacts.unblock')}
        </Button>
      )}
    </div>
  );
}
