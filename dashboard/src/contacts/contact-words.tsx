/** What contacts and their identifiers are called. */
import { AtSign, Bot, Globe, Hash, type LucideIcon, MessageCircle, Phone } from 'lucide-react';
import type { IdentifierKind } from '../../../contract/connectors.ts';
import type { Contact, ContactIdentifier } from '../../../contract/contacts.ts';
import { customerName } from '../texts/customer-name.ts';
import { phoneDigits } from '../texts/phone.ts';
import { t } from '../texts/texts.ts';

const icons: { [kind in IdentifierKind]: LucideIcon } = {
  phone: Phone,
  email: AtSign,
  chatapp: MessageCircle,
  chatbot: Bot,
  web: Globe,
  external: Hash,
};

export function IdentifierIcon({
  kind,
  className = 'size-3.5',
}: {
  kind: IdentifierKind;
  className?: string;
}) {
  const Icon = icons[kind] ?? Hash;
  return <Icon aria-hidden className={className} />;
}

export const kindName = (kind: IdentifierKind) => t(`contacts.kind.${kind}`);

/** Phone numbers are stored as digits; people read them with a plus. Short codes have none. */
export const shownIdentifier = ({ kind, value }: Pick<ContactIdentifier, 'kind' | 'value'>): string =>
  kind === 'phone' ? phoneDigits(value) : value;

/** The name, else the identifier that people know best. */
export function contactName({ id, name, identifiers }: Pick<Contact, 'id' | 'name' | 'identifiers'>): string {
  const best = bestIdentifier(identifiers);
  return customerName({
    sessionName: name,
    externalUserId: best ? shownIdentifier(best) : null,
    sessionId: id,
  });
}

const byUse: readonly IdentifierKind[] = ['phone', 'email', 'chatapp', 'chatbot', 'external', 'web'];

export const bestIdentifier = (identifiers: readonly ContactIdentifier[]): ContactIdentifier | undefined =>
  byUse.map((kind) => identifiers.find((one) => one.kind === kind)).find((one) => one !== undefined);
