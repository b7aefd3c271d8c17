/** In the inbox, beside a conversation: who the customer is on all channels. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronRight, Users } from 'lucide-react';
import { t } from '../texts/texts.ts';
import { Avatar } from '../ui/display/avatar.tsx';
import { Badge } from '../ui/display/badge.tsx';
import { Skeleton } from '../ui/display/states.tsx';
import { contactQuery } from './contact-data.ts';
import { contactName, IdentifierIcon, kindName } from './contact-words.tsx';

const shown = 4;

export default function ContactPane({ contactId }: { contactId: string }) {
  const { data: contact, isError } = useQuery(contactQuery(contactId));
  if (isError) return null;
  if (!contact) {
    return (
      <div role="status" aria-label={t('ui.loading')} className="px-5 py-3">
        <Skeleton className="h-10" />
      </div>
    );
  }
  const name = contactName(contact);
  const { identifiers, mergeOffers } = contact;
  return (
    <section aria-label={t('contacts.contact')} className="border-b border-line px-5 py-3">
      <Link
        to="/contacts/$contactId"
        params={{ contactId }}
        className="-mx-2 flex items-center gap-2.5 rounded-control px-2 py-1.5 hover:bg-hover"
      >
        <span aria-hidden className="flex">
          <Avatar id={contact.id} name={name} size="large" tip={false} />
        </span>
        <span className="sr-only">{`${t('contacts.pane.open')} `}</span>
        <span className="flex min-w-0 flex-1 flex-col">
          <span className="flex items-center gap-2">
            <span title={name} className="truncate font-medium">
              {name}
            </span>
            {contact.blocked && <Badge hue="red">{t('contacts.blocked')}</Badge>}
          </span>
          <span className="text-sm text-muted">{t('contacts.contact')}</span>
        </span>
        <ChevronRight aria-hidden className="size-4 shrink-0 text-faint" />
      </Link>
      <ul className="mt-1 flex flex-col gap-0.5">
        {identifiers.slice(0, shown).map(({ kind, value, channelId }) => (
          <li key={`${kind} ${channelId} ${value}`} className="flex items-center gap-2 text-muted">
            <IdentifierIcon kind={kind} className="size-3.5 shrink-0 text-faint" />
            <span className="sr-only">{kindName(kind)}</span>
            <span title={value} className="truncate">
              {value}
            </span>
          </li>
        ))}
      </ul>
      {mergeOffers.length > 0 && (
        <Link
          to="/contacts/$contactId"
          params={{ contactId }}
          className="mt-2 flex items-start gap-2 text-accent-ink hover:underline"
        >
          <Users aria-hidden className="mt-0.5 size-3.5 shrink-0" />
          {t('contacts.pane.offers')}
        </Link>
      )}
    </section>
  );
}
