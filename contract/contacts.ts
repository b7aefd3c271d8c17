/** Contacts: the people of an account, found by any of their identifiers. */
import type { Static } from 'typebox';
import { identifierKinds } from './connectors.ts';
import { limits } from './limits.ts';
import { pageQuery } from './shapes/paging.ts';
import { Type } from './shapes/type.ts';
import { choice, nullable } from './shapes/values.ts';

export const contactLimits = {
  /** In one request. */
  identifiers: 50,
  /** How long a merge can be undone. */
  undoDays: 30,
} as const;

export const ContactIdentifier = Type.Object({
  kind: choice(identifierKinds),
  value: Type.String({
    description: 'Normalised: a phone number is its digits, an e-mail address in lower case.',
  }),
  channelId: nullable(
    Type.String({
      description: 'Set for web and external, whose values mean something on that channel only.',
    }),
  ),
  addedAt: Type.Number(),
});
export type ContactIdentifier = Static<typeof ContactIdentifier>;

const contact = {
  id: Type.String(),
  name: nullable(
    Type.String({
      description: 'Set by a person, told by the provider, or the name of the first conversation.',
    }),
  ),
  identifiers: Type.Array(ContactIdentifier, { description: 'The oldest first.' }),
  sessionCount: Type.Integer({ description: 'Conversations that the caller may see.' }),
  recordIds: Type.Array(Type.String(), {
    description:
      'Records of these conversations, and those with a phone number or an e-mail address of the contact.',
  }),
  blocked: Type.Boolean(),
  createdAt: Type.Number(),
  updatedAt: Type.Number(),
};
export const Contact = Type.Object(contact);
export type Contact = Static<typeof Contact>;

const Told = Type.Object({ kind: choice(identifierKinds), value: Type.String() });
export const MergeOffer = Type.Object({
  contactId: Type.String(),
  name: nullable(Type.String()),
  evidence: Type.Object(
    { channelId: Type.String(), messageId: Type.String(), identifiers: Type.Array(Told) },
    { description: 'The message that told identifiers of both contacts together.' },
  ),
});
export type MergeOffer = Static<typeof MergeOffer>;

const MergeDone = Type.Object({
  mergeId: Type.String(),
  contactId: Type.String({ description: 'The contact that was merged into this one.' }),
  name: nullable(Type.String({ description: 'Its name before.' })),
  identifiers: Type.Array(Told, { description: 'Those that came with it and are still there.' }),
  at: Type.Number(),
});
export type MergeDone = Static<typeof MergeDone>;

export const ContactDetails = Type.Object({
  ...contact,
  merges: Type.Array(MergeDone, {
    description: `Merges into this contact that can be undone, of the last ${contactLimits.undoDays} days. The latest first, which is also the order in which they are undone.`,
  }),
  mergeOffers: Type.Array(MergeOffer, { description: 'Other contacts that seem to be the same person.' }),
});
export type ContactDetails = Static<typeof ContactDetails>;

export const ContactsQuery = Type.Object({
  q: Type.Optional(
    Type.String({
      description:
        'Part of the name or of an identifier; phone numbers in any notation, accents are optional.',
    }),
  ),
  ...pageQuery(limits.listPage),
});
export type ContactsQuery = Static<typeof ContactsQuery>;

const Given = Type.Object({
  kind: choice(identifierKinds),
  value: Type.String({ minLength: 1, maxLength: limits.nameLength, examples: ['+55 11 99999-8888'] }),
  channelId: Type.Optional(
    Type.String({
      description:
        'Only for web and external: the channel. When omitted, the channel of the contact’s latest conversation of that kind.',
    }),
  ),
});
export const ContactUpdate = Type.Object({
  name: Type.Optional(
    nullable(
      Type.String({
        minLength: 1,
        maxLength: limits.nameLength,
        description: 'Stays, whatever the provider tells. null: what the provider tells counts again.',
      }),
    ),
  ),
  addIdentifiers: Type.Optional(
    Type.Array(Given, {
      maxItems: contactLimits.identifiers,
      examples: [[{ kind: 'phone', value: '+55 11 98888-7777' }]],
    }),
  ),
  removeIdentifiers: Type.Optional(
    Type.Array(Given, {
      maxItems: contactLimits.identifiers,
      description: 'Those that the contact does not have are ignored.',
      examples: [[]],
    }),
  ),
});
export type ContactUpdate = Static<typeof ContactUpdate>;

export const ContactMerge = Type.Object({
  contactId: Type.String({
    description: 'The contact that is merged into the one of the path, and is gone then.',
  }),
});
export const MergedContact = Type.Object({
  ...ContactDetails.properties,
  mergeId: Type.String({ description: `For the undo, within ${contactLimits.undoDays} days.` }),
});
export type MergedContact = Static<typeof MergedContact>;
export const UnmergedContacts = Type.Object({
  contacts: Type.Array(ContactDetails, {
    description: 'Both: the one that stayed, then the one that is back.',
  }),
});
export type UnmergedContacts = Static<typeof UnmergedContacts>;
