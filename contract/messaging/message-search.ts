import type { Static } from 'typebox';
import { limits } from '../limits.ts';
import { Type } from '../shapes/type.ts';
import { choice, nullable } from '../shapes/values.ts';
import { messageRoles } from './messages.ts';

/** Not from 0, which is what an empty parameter reads as. */
const Time = (description: string) =>
  Type.Integer({ minimum: 1, maximum: 8_640_000_000_000_000, description, examples: [1_790_000_000_000] });

const authorKinds = ['customer', 'ai', 'operator', 'system'] as const;
const messageKinds = ['message', 'note'] as const;

export const MessageSearchQuery = Type.Object({
  q: Type.Optional(
    Type.String({
      description:
        'Searches the text of messages and notes, and transcripts. Every word must match: as a substring, or with typos (1 from 3 characters on, 2 from 6 on). Without it: all messages, newest first.',
    }),
  ),
  sessionId: Type.Optional(Type.String({ description: 'Only this conversation.' })),
  contact: Type.Optional(
    Type.String({
      description:
        'Only conversations of this customer: a phone number in any notation, an e-mail address or another identifier.',
    }),
  ),
  channelId: Type.Optional(Type.String({ description: 'Only conversations of this channel.' })),
  author: Type.Optional(
    Type.String({
      description: `${authorKinds.join(', ')}, or the id of a user or token: only what they wrote.`,
      examples: ['customer'],
    }),
  ),
  kind: Type.Optional(choice(messageKinds)),
  from: Type.Optional(Time('Only from this time on, in milliseconds.')),
  to: Type.Optional(Time('Only before this time, in milliseconds.')),
  page: Type.Optional(Type.Integer({ minimum: 1, description: 'From 1; empty beyond the end.' })),
  pageSize: Type.Optional(
    Type.Integer({
      minimum: 1,
      description: `${limits.searchPage.default} by default, at most ${limits.searchPage.max}.`,
    }),
  ),
});
export type MessageSearchQuery = Static<typeof MessageSearchQuery>;

const TextRange = Type.Object({ start: Type.Integer(), end: Type.Integer() });

export const FoundMessage = Type.Object({
  id: Type.String(),
  sessionId: Type.String(),
  role: choice(messageRoles),
  content: Type.String(),
  createdAt: Type.Number(),
  isNote: Type.Boolean(),
  held: Type.Boolean(),
  author: Type.Object({
    kind: choice(authorKinds),
    id: nullable(Type.String({ description: 'Of the agent, user or token; null for others.' })),
    name: nullable(Type.String()),
  }),
  sessionName: nullable(Type.String()),
  externalUserId: nullable(Type.String()),
  channelId: Type.String(),
  channelType: Type.String(),
  kanbanId: Type.String(),
  match: Type.Optional(
    Type.Object(
      {
        typos: Type.Integer(),
        excerpt: Type.String({ description: 'The text around the first match, on one line.' }),
        ranges: Type.Array(TextRange, {
          description: 'What matched in the excerpt, in UTF-16 units, in order and without overlaps.',
        }),
      },
      { description: 'Omitted without q.' },
    ),
  ),
});
export type FoundMessage = Static<typeof FoundMessage>;

export const MessageSearchAnswer = Type.Object({
  items: Type.Array(FoundMessage),
  total: Type.Integer({ description: 'Exact.' }),
  page: Type.Integer(),
  pageSize: Type.Integer(),
  totalPages: Type.Integer(),
  searchedFrom: nullable(
    Type.Number({
      description:
        'null: all messages were searched. Otherwise older messages than this time were not, because the account’s messages do not fit into the memory for search.',
    }),
  ),
});
export type MessageSearchAnswer = Static<typeof MessageSearchAnswer>;
