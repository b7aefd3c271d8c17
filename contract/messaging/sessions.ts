/** Conversations: what a client sees of one, how it finds them and what it may change. */
import type { Static } from 'typebox';
import { labelChange } from '../labels.ts';
import { limits } from '../limits.ts';
import { SessionSla } from '../service-levels.ts';
import { pageQuery } from '../shapes/paging.ts';
import { Type } from '../shapes/type.ts';
import { choice, nullable } from '../shapes/values.ts';

const Id = Type.String({ minLength: 1, maxLength: limits.nameLength });

export const sessionStatuses = ['open', 'snoozed', 'resolved'] as const;
export type SessionStatus = (typeof sessionStatuses)[number];

/** Who changed a conversation. A message of the customer reopens it; the service does when a snooze ends. */
export const SessionChanger = Type.Object({
  type: choice(['user', 'token', 'rule', 'customer', 'system']),
  id: nullable(Type.String({ description: 'Of the user, the token or the rule.' })),
  name: nullable(Type.String()),
});
export type SessionChanger = Static<typeof SessionChanger>;

export const Session = Type.Object({
  sessionId: Type.String(),
  sessionName: nullable(Type.String()),
  channelId: Type.String(),
  channelType: Type.String(),
  externalUserId: nullable(Type.String()),
  contactId: nullable(
    Type.String({
      description: 'The person; null without an identifier of the customer. See GET /contacts.',
    }),
  ),
  customerEmail: nullable(
    Type.String({ description: 'The e-mail address that a visitor of the widget gave.' }),
  ),
  agentId: Type.String(),
  kanbanId: Type.String(),
  recordId: nullable(Type.String()),
  aiPaused: Type.Boolean(),
  needsAttention: Type.Boolean(),
  unread: Type.Integer(),
  status: choice(sessionStatuses),
  snoozedUntil: nullable(
    Type.Number({ description: 'null: not snoozed, or snoozed until the customer writes.' }),
  ),
  statusChangedAt: nullable(Type.Number()),
  statusChangedBy: nullable(SessionChanger),
  assignedUserId: nullable(Type.String()),
  teamId: nullable(Type.String()),
  labelIds: Type.Array(Type.String(), { description: 'Sorted. GET /labels has their names.' }),
  windowClosesAt: nullable(
    Type.Number({
      description:
        'On channels whose provider limits it: until then free text may be sent, 24 hours after the customer’s last message. Afterwards only templates. null: no limit.',
    }),
  ),
  personWindowClosesAt: nullable(
    Type.Number({
      description:
        'The same for people. Later than windowClosesAt where the provider gives people more time than AI agents.',
    }),
  ),
  sla: nullable(SessionSla),
  waitingSince: nullable(
    Type.Number({
      description:
        'When the customer sent the first message that nobody has answered: no person, no AI and no echo. null: they do not wait, or the conversation is resolved.',
    }),
  ),
  lastMessageAt: Type.Number(),
  createdAt: Type.Number(),
  updatedAt: Type.Number(),
});
export type Session = Static<typeof Session>;

export const slaFilters = ['due', 'breached'] as const;
/** Those of inbox views, and the two that were before them. */
export const viewSorts = ['newest', 'oldest', 'waiting', 'due'] as const;
export const sessionSorts = ['latest', 'due_next', ...viewSorts] as const;

export const SessionsQuery = Type.Object({
  channelId: Type.Optional(Type.String()),
  kanbanId: Type.Optional(Type.String()),
  agentId: Type.Optional(Type.String()),
  recordId: Type.Optional(Type.String()),
  contactId: Type.Optional(Type.String({ description: 'Conversations of this contact.' })),
  aiPaused: Type.Optional(Type.Boolean()),
  needsAttention: Type.Optional(Type.Boolean()),
  unread: Type.Optional(Type.Boolean({ description: 'true: only those with something unread.' })),
  status: Type.Optional(
    Type.String({ description: 'open, snoozed or resolved; several are separated by commas.' }),
  ),
  assignedUserId: Type.Optional(
    Type.String({ description: "A user's id, `me`, or `none` for conversations that nobody owns." }),
  ),
  teamId: Type.Optional(Type.String({ description: "A team's id, or `none`." })),
  label: Type.Optional(
    Type.String({ description: 'Ids of labels, separated by commas: conversations that have any of them.' }),
  ),
  q: Type.Optional(
    Type.String({
      description:
        'Words of the name, the customer or the id, each in part and in any order; phone numbers in any notation.',
    }),
  ),
  filter: Type.Optional(
    Type.String({
      description:
        'Conditions on `session.*`, as JSON: {"and":[{"field":"session.assignedUserId","op":"is","value":"me"},{"or":[…]}]}. `me` is the caller. Fields and operators: docs/filters.md. It is about the moment of the first page.',
      examples: ['{"and":[{"field":"session.status","op":"is","value":"open"}]}'],
    }),
  ),
  sla: Type.Optional(
    Type.Unsafe<(typeof slaFilters)[number]>({
      ...choice(slaFilters),
      description:
        '`due`: with a target that is neither met nor paused; `breached`: with one of these that is late.',
    }),
  ),
  sort: Type.Optional(
    Type.Unsafe<(typeof sessionSorts)[number]>({
      ...choice(sessionSorts),
      description:
        '`newest`, or `latest`, when omitted: by the last message, newest first; `oldest`: the other way round. `waiting`: customers who wait first, the longest wait first, then the others, newest first. `due`: by the next target of a service level, the most urgent first, then those without one, newest first; `due_next`: only the ones with one.',
    }),
  ),
  ...pageQuery(limits.listPage),
});
export type SessionsQuery = Static<typeof SessionsQuery>;
export const SessionCounts = Type.Object(
  {
    all: Type.Integer(),
    mine: Type.Integer({ description: 'Owned by the caller, or by the user that the token belongs to.' }),
    unassigned: Type.Integer({ description: 'Without an owner.' }),
    snoozed: Type.Integer({ description: 'Snoozed conversations; the other counts are of open ones.' }),
    teams: Type.Array(Type.Object({ teamId: Type.String(), count: Type.Integer() }), {
      description: 'Teams without an open conversation are left out.',
    }),
  },
  { description: 'Of the conversations that the caller may see.' },
);
export type SessionCounts = Static<typeof SessionCounts>;

export const SessionUpdate = Type.Object({
  sessionName: Type.Optional(Id),
  needsAttention: Type.Optional(
    Type.Boolean({
      description:
        'false has no effect while a held reply waits: release or drop it. The response is then true.',
    }),
  ),
  unread: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1,
      description:
        '0 marks the conversation as read, 1 as unread. One with unread messages keeps their number.',
    }),
  ),
  status: Type.Optional(
    Type.Unsafe<SessionStatus>({
      type: 'string',
      enum: [...sessionStatuses],
      description:
        'resolved also marks the conversation as read and handled. A message of the customer opens it again.',
    }),
  ),
  snoozedUntil: Type.Optional(
    nullable(
      Type.Integer({
        minimum: 0,
        maximum: 8_640_000_000_000_000,
        description:
          'With status snoozed: opens again at this time, in milliseconds. null or absent: when the customer writes.',
      }),
    ),
  ),
  assignedUserId: Type.Optional(
    nullable(
      Type.String({
        description: 'A user who may see the board. null: nobody owns it. The new owner is notified.',
      }),
    ),
  ),
  teamId: Type.Optional(nullable(Type.String())),
  ...labelChange,
});
export type SessionUpdate = Static<typeof SessionUpdate>;

export const TransferBody = Type.Object({
  agentId: Type.Optional(
    Type.String({ description: 'When omitted with a board, the channel’s default agent.' }),
  ),
  kanbanId: Type.Optional(
    Type.String({ description: 'When omitted, the agent’s board on this channel, or the current board.' }),
  ),
});
export type TransferBody = Static<typeof TransferBody>;

export const AiPausedBody = Type.Object({ aiPaused: Type.Boolean() });
export const AiPausedAnswer = Type.Object({
  sessionId: Type.String(),
  aiPaused: Type.Boolean(),
  message: Type.String(),
});
