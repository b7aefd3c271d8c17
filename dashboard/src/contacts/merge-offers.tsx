/** Contacts that may be the same person, with what suggests it. Nothing is merged without being asked. */
import { Link } from '@tanstack/react-router';
import { Users } from 'lucide-react';
import { useState } from 'react';
import type { ContactDetails, MergeOffer } from '../../../contract/contacts.ts';
import { useChannels } from '../data/queries.ts';
import { t } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { ConfirmMerge } from './confirm-merge.tsx';
import { dismissOffer } from './contact-actions.ts';
import { contactName } from './contact-words.tsx';

export const MergeOffers = ({ contact }: { contact: ContactDetails }) =>
  contact.mergeOffers.map((offer) => <Offer key={offer.contactId} contact={contact} offer={offer} />);

function Offer({ contact, offer }: { contact: ContactDetails; offer: MergeOffer }) {
  const [isAsking, setAsking] = useState(false);
  const { contactId, evidence } = offer;
  const channel = useChannels().find(({ id }) => id === evidence.channelId);
  const name = contactName({
    id: contactId,
    name: offer.name,
    identifiers: [],
  });
  return (
    <section
      aria-label={t('contacts.offer', { name })}
      className="flex flex-wrap items-center gap-3 rounded-panel border border-line-strong bg-sunken p-3"
    >
      <Users aria-hidden className="size-4 shrink-0 text-muted" />
      <div className="min-w-52 flex-1">
        <p className="font-medium">
          {t('contacts.offer.same')}{' '}
          <Link
            to="/contacts/$contactId"
            params={{ contactId }}
            className="text-accent-ink underline underline-offset-2"
          >
            {name}
          </Link>
        </p>
        <p className="text-pretty text-muted wrap-anywhere">
          {t('contacts.offer.evidence', {
            channel: channel?.name ?? t('contacts.offer.aChannel'),
            identifiers: evidence.identifiers.map(({ value }) => value).join(', '),
          })}
        </p>
      </div>
      <div className="flex gap-2">
        <Button onClick={() => void dismissOffer(contact, contactId)}>{t('contacts.offer.dismiss')}</Button>
        <Button tone="primary" onClick={() => setAsking(true)}>
          {t('contacts.merge')}
        </Button>
      </div>
      {isAsking && (
        <ConfirmMerge contact={contact} other={{ id: contactId, name }} onClose={() => setAsking(false)} />
      )}
    </section>
  );
}
