import { Link } from '@tanstack/react-router';
import type { Contact } from '../../../contract/contacts.ts';
import { t, tn } from '../texts/texts.ts';
import { Avatar } from '../ui/display/avatar.tsx';
import { Badge } from '../ui/display/badge.tsx';
import { Time } from '../ui/display/time.tsx';
import type { ContactKeys } from './contact-keys.ts';
import { contactName, IdentifierIcon, kindName } from './contact-words.tsx';

const shown = 3;

interface ContactRowProps {
  contact: Contact;
  isTabStop: boolean;
  keys: ContactKeys;
}

export function ContactRow({ contact, isTabStop, keys }: ContactRowProps) {
  const { id, identifiers, sessionCount, blocked, updatedAt } = contact;
  const name = contactName(contact);
  // Without a name, the title is an identifier: below it, its kind is enough.
  const others = identifiers.filter(({ value }) => value !== name);
  return (
    <Link
      to="/contacts/$contactId"
      params={{ contactId: id }}
      data-contact={id}
      tabIndex={isTabStop ? 0 : -1}
      onFocus={() => keys.onFocus(id)}
      onKeyDown={keys.onKeyDown}
      className="flex h-14 items-center gap-3 border-b border-line px-3 transition-colors hover:bg-hover focus-visible:-outline-offset-2 md:px-4"
    >
      <Avatar id={id} name={name} size="large" tip={false} />
      <span className="flex min-w-0 flex-1 flex-col">
        <span className="flex min-w-0 items-center gap-2">
          <span title={name} className="truncate font-medium">
            {name}
          </span>
          {blocked && (
            <Badge hue="red" className="shrink-0">
              {t('contacts.blocked')}
            </Badge>
          )}
        </span>
        <span className="flex min-w-0 gap-3 overflow-hidden text-muted">
          {others.length === 0 && identifiers[0] && kindName(identifiers[0].kind)}
          {others.slice(0, shown).map(({ kind, value, channelId }) => (
            <span
              key={`${kind} ${channelId} ${value}`}
              className="flex min-w-0 items-center gap-1 max-sm:not-first:hidden"
            >
              <IdentifierIcon kind={kind} className="size-3 shrink-0 text-faint" />
              <span className="sr-only">{kindName(kind)}</span>
              <span className="truncate">{value}</span>
            </span>
          ))}
          {others.length > shown && <span className="max-sm:hidden">+{others.length - shown}</span>}
        </span>
      </span>
      <span className="tabular shrink-0 text-sm text-muted max-sm:hidden">
        {tn('contacts.conversations', sessionCount)}
      </span>
      <Time at={updatedAt} className="tabular w-10 shrink-0 text-right text-sm text-faint" />
    </Link>
  );
}
