import type { Static } from 'typebox';
import {
  type Availability as AvailabilityName,
  availabilities,
  type LanguageName,
  languages,
  limits,
  roles,
  scopes,
  themes,
  undoSendChoices,
} from './limits.ts';
import { Permission, RoleId } from './roles/roles.ts';
import { pageQuery } from './shapes/paging.ts';
import { patterns } from './shapes/patterns.ts';
import { Type } from './shapes/type.ts';
import { choice, nullable } from './shapes/values.ts';

export const Name = Type.String({ minLength: 1, maxLength: limits.nameLength });
export const Email = Type.String({ minLength: 3, maxLength: 320 });
export const Password = Type.String({
  minLength: limits.passwordLength.min,
  maxLength: limits.passwordLength.max,
  description: 'Must be neither a common password nor the e-mail address.',
});
/**
 * Passwords that are only compared may have any length up to a limit: a rule here would reveal the password rules.
 */
const TypedPassword = Type.String({ maxLength: limits.passwordLength.max });

export const RoleName = choice(roles);
const ScopeName = choice(scopes);

const Availability = Type.Unsafe<AvailabilityName>({
  ...choice(availabilities),
  description: 'Whether the user gets conversations automatically while they are connected.',
});
const Capacity = Type.Integer({
  minimum: limits.capacity.min,
  maximum: limits.capacity.max,
  description: 'The user gets conversations automatically while they own fewer open ones than this.',
});

const UserSummary = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  role: RoleName,
});
const UndoSendSeconds = Type.Unsafe<(typeof undoSendChoices)[number]>({
  type: 'integer',
  enum: [...undoSendChoices],
  description:
    'How long the dashboard waits before it sends a reply, so that it can be undone. 0: not at all.',
});
/** What users see about themselves. */
const SignedInUser = Type.Object({
  ...UserSummary.properties,
  isInstanceAdmin: Type.Boolean({
    description: 'Whether the user may create accounts and set their limits.',
  }),
  roleId: RoleId,
  permissions: Type.Array(Permission, { description: 'What the user may do.' }),
  /** For the dashboard; null: the browser's. */
  language: nullable(choice(languages)),
  theme: choice(themes),
  undoSendSeconds: UndoSendSeconds,
  seenRelease: nullable(
    Type.String({ description: 'The newest release that the user has read about (GET /releases).' }),
  ),
  availability: Availability,
});
const AccountSummary = Type.Object({ id: Type.String(), name: Type.String() });

export const LoginBody = Type.Object({ email: Type.String({ maxLength: 320 }), password: TypedPassword });
export const LoginAnswer = Type.Object({
  token: Type.String({ description: 'The JWT for the Authorization header.' }),
  expiresAt: Type.Number(),
  user: SignedInUser,
  account: AccountSummary,
  mustSetUpFactor: Type.Optional(
    Type.Boolean({
      description:
        'Only there, and true, if the account requires a second factor and the user has none: until then the user can only set one up.',
    }),
  ),
});
export const MeAnswer = Type.Object({ user: SignedInUser, account: AccountSummary });
export const ProfileUpdate = Type.Object({
  name: Type.Optional(Name),
  language: Type.Optional(nullable(choice(languages))),
  theme: Type.Optional(choice(themes)),
  availability: Type.Optional(Availability),
  undoSendSeconds: Type.Optional(UndoSendSeconds),
  seenRelease: Type.Optional(
    Type.String({ pattern: patterns.release, maxLength: 32, examples: ['v1.7.232'] }),
  ),
});
export const PasswordBody = Type.Object({ currentPassword: TypedPassword, newPassword: Password });

export const LoginSession = Type.Object({
  id: Type.String(),
  createdAt: Type.Number({ description: 'When the user signed in.' }),
  lastUsedAt: Type.Number({ description: 'When the refresh cookie was last used.' }),
  expiresAt: Type.Number({ description: '30 days after the last use, at most 90 days after the login.' }),
  address: nullable(Type.String({ description: 'Where it was last used from; null if not known.' })),
  userAgent: nullable(Type.String()),
  current: Type.Boolean({ description: 'Whether this request belongs to the session.' }),
});
export type LoginSession = Static<typeof LoginSession>;
export const LoginSessions = Type.Object({ items: Type.Array(LoginSession) });

export const User = Type.Object({
  id: Type.String(),
  email: Type.String(),
  name: Type.String(),
  role: RoleName,
  roleId: RoleId,
  capacity: Capacity,
  availability: Availability,
  hasSecondFactor: Type.Optional(
    Type.Boolean({
      description: 'An app or a passkey. Only for callers with the permission `users.manage`.',
    }),
  ),
  createdAt: Type.Number(),
  updatedAt: Type.Number(),
});
export type User = Static<typeof User>;
export const UserCreate = Type.Object({
  email: Email,
  name: Name,
  role: RoleName,
  roleId: Type.Optional(RoleId),
  password: Password,
});
export const UserUpdate = Type.Object({
  name: Type.Optional(Name),
  role: Type.Optional(RoleName),
  roleId: Type.Optional(RoleId),
  password: Type.Optional(Password),
  capacity: Type.Optional(Capacity),
});

const addresses =
  'IPv4 and IPv6 addresses and ranges such as `203.0.113.0/24` and `2001:db8::/32`. Empty: from everywhere.';
export const AddressList = Type.Array(Type.String({ maxLength: 60 }), {
  maxItems: limits.addresses,
  examples: [[]],
  description: addresses,
});

export const ApiToken = Type.Object({
  id: Type.String(),
  name: Type.String(),
  scopes: Type.Array(ScopeName),
  expiresAt: nullable(Type.Number()),
  createdAt: Type.Number(),
  createdBy: Type.Object(
    { id: Type.String(), name: Type.String() },
    {
      description:
        'The user the token belongs to. A token created by another token belongs to the same user, one created on the command line to the first administrator. The token is revoked when this user is removed, unless it was transferred before. The token may do no more than the user: while the user manages nothing, it has no `manage`, and while the user is an operator, it sees only the boards that the user may open.',
    },
  ),
  lastUsedAt: nullable(Type.Number()),
  allowedAddresses: Type.Array(Type.String(), {
    description: 'Where the token can be used from. Empty: from everywhere.',
  }),
});
export type ApiToken = Static<typeof ApiToken>;
export const ApiTokenCreated = Type.Object({
  ...ApiToken.properties,
  token: Type.String({ description: 'Shown only once.' }),
});
export const ApiTokenCreate = Type.Object({
  name: Name,
  scopes: Type.Optional(
    Type.Array(ScopeName, {
      minItems: 1,
      uniqueItems: true,
      description: 'All but `manage` when omitted. A token cannot grant scopes that it does not have (403).',
    }),
  ),
  expiresAt: Type.Optional(
    nullable(
      Type.Integer({
        maximum: 8.64e15,
        description:
          'No expiration when omitted or null. A token that expires cannot create one that expires later (403); when omitted, the new token expires with it.',
      }),
    ),
  ),
  allowedAddresses: Type.Optional(
    Type.Unsafe<string[]>({
      ...AddressList,
      description: `${addresses} A token that has a list cannot create one that can be used from elsewhere (403); when omitted, the new token has the same list.`,
    }),
  ),
});
export const ApiTokenTransfer = Type.Object({
  userId: Type.String({ description: 'A user of the account. The token belongs to them from now on.' }),
});

const Limit = Type.Integer({ minimum: 1, maximum: 1_000_000_000 });
const StorageLimit = Type.Integer({ minimum: 1, maximum: 1_000_000_000_000_000 });
export const AccountLimits = Type.Object({
  crmPerMinute: Type.Integer(),
  crmPerHour: Type.Integer(),
  messagesPerMinute: Type.Integer(),
  storageBytes: Type.Integer({
    description: 'Total size of all files of the account. An upload beyond it is a 413 `STORAGE_QUOTA`.',
  }),
  aiRepliesPerDay: Type.Integer({
    description: 'Per UTC day. Beyond it the AI does not reply and the session needs attention.',
  }),
  knowledgeDocuments: Type.Integer({
    description: 'Documents of all knowledge sources. One more is a 413 `KNOWLEDGE_QUOTA`.',
  }),
  knowledgeBytes: Type.Integer({
    description:
      'Total size of the text of all documents in UTF-8, each in its newest version. More is a 413 `KNOWLEDGE_QUOTA`.',
  }),
});
export type AccountLimits = Static<typeof AccountLimits>;
/** Settings of the account's administrators for everyone in it. */
const accountSettings = {
  language: Type.Unsafe<LanguageName>({
    ...choice(languages),
    description:
      'The language of texts that the service writes, such as the titles of new cards. The dashboard has one per user.',
  }),
  replyTakesOver: Type.Boolean({
    description:
      'Whether the dashboard sends `pauseAi: true` with a reply unless the operator keeps the AI on. Replies through the API are not affected.',
  }),
};
/** What the instance administrator sees. */
export const Account = Type.Object({ id: Type.String(), name: Type.String(), limits: AccountLimits });
export type Account = Static<typeof Account>;
/** With the settings of its administrators. */
export const AccountWithSettings = Type.Object({ ...Account.properties, ...accountSettings });
export type AccountWithSettings = Static<typeof AccountWithSettings>;
export const AccountUsage = Type.Object({
  storageBytes: Type.Integer({
    description: 'Announced and stored files, thumbnails, converted audio and import files.',
  }),
  aiRepliesToday: Type.Integer({ description: 'In the current UTC day.' }),
});
export type AccountUsage = Static<typeof AccountUsage>;
/** What the account's own users see. */
export const OwnAccount = Type.Object({ ...AccountWithSettings.properties, usage: AccountUsage });
export type OwnAccount = Static<typeof OwnAccount>;
export const AccountUpdate = Type.Partial(Type.Object({ name: Name, ...accountSettings }));
export type AccountUpdate = Static<typeof AccountUpdate>;
const suspension = {
  suspendedAt: nullable(Type.Number({ description: 'Since when it is suspended; null: it is not.' })),
  suspendedReason: nullable(Type.String()),
  deletingSince: nullable(Type.Number({ description: 'Since when it is being deleted; null: it is not.' })),
};
export const AccountSuspension = Type.Object(suspension);
export type AccountSuspension = Static<typeof AccountSuspension>;
export const AccountSuspend = Type.Object({
  reason: Type.Optional(
    Type.String({
      maxLength: 1_000,
      description: 'For the administrators of the instance and the audit log.',
    }),
  ),
});
export const AccountDeletionQuery = Type.Object({
  name: Type.String({
    maxLength: limits.nameLength,
    description: 'The name of the account, as it is written.',
  }),
});
/** In the list of the instance administrator. */
export const ListedAccount = Type.Object({ ...Account.properties, ...suspension });
export type ListedAccount = Static<typeof ListedAccount>;
export const AdminAccountCreate = Type.Object({
  name: Name,
  adminEmail: Email,
  adminPassword: Password,
  language: Type.Optional(accountSettings.language),
});
export const AdminAccountCreated = Type.Object({ account: Account, user: UserSummary });
export const AdminAccountUpdate = Type.Object({
  name: Type.Optional(Name),
  limits: Type.Optional(
    Type.Object({
      crmPerMinute: Type.Optional(Limit),
      crmPerHour: Type.Optional(Limit),
      messagesPerMinute: Type.Optional(Limit),
      storageBytes: Type.Optional(StorageLimit),
      aiRepliesPerDay: Type.Optional(Limit),
      knowledgeDocuments: Type.Optional(Limit),
      knowledgeBytes: Type.Optional(StorageLimit),
    }),
  ),
});

const Time = Type.Integer({ minimum: 1, maximum: 8.64e15 });
export const AuditQuery = Type.Object({
  actorId: Type.Optional(Type.String({ description: 'Only what this user or token did.' })),
  action: Type.Optional(
    Type.String({ description: 'Only entries with this action, such as `login` or `record.deleted`.' }),
  ),
  targetType: Type.Optional(
    Type.String({ description: 'Only changes of this type of object, such as `webhook`.' }),
  ),
  from: Type.Optional(Time),
  to: Type.Optional(Time),
  ...pageQuery(limits.listPage),
});
export type AuditQuery = Static<typeof AuditQuery>;
export const AuditEntry = Type.Object({
  id: Type.String(),
  at: Type.Number(),
  actor: Type.Object({ type: Type.String(), id: Type.String(), name: Type.String() }),
  action: Type.String(),
  target: Type.Object({ type: Type.String(), id: Type.String() }),
  changes: Type.Record(Type.String(), Type.Unknown()),
  address: nullable(
    Type.String({ description: 'The client address; null for background work and the command line.' }),
  ),
});
export type AuditEntry = Static<typeof AuditEntry>;

/** The databases of an instance and the accounts that move between them (docs/cells.md). */
const moveStates = ['copying', 'checking', 'waiting', 'closing', 'done', 'abandoned'] as const;

const Cell = Type.Object({
  name: Type.String({ description: '`home` is the database of DATABASE_URL.' }),
  accounts: Type.Number(),
  weight: Type.Number({ description: 'New accounts are spread in proportion to it.' }),
  drained: Type.Boolean({ description: 'Whether it takes no new accounts.' }),
  status: choice(['ok', 'unavailable']),
});

const AccountMove = Type.Object({
  id: Type.String(),
  accountId: Type.String(),
  from: Type.String(),
  to: Type.String(),
  state: choice(moveStates),
  rowsCopied: Type.Number(),
  rowsTotal: Type.Number(),
  detail: nullable(Type.String({ description: 'What it waits for, or why it was abandoned.' })),
  closedMs: nullable(Type.Number({ description: 'How long writes of the account waited.' })),
  startedAt: Type.Number(),
  endedAt: nullable(Type.Number()),
});
export type AccountMove = Static<typeof AccountMove>;

export const CellOverview = Type.Object({
  cells: Type.Array(Cell),
  moves: Type.Array(AccountMove, {
    description: 'Those under way, then the last ones, at most 50. `talkboard account move` starts one.',
  }),
});
export type CellOverview = Static<typeof CellOverview>;
