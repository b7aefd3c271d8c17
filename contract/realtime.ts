/**
 * The protocol of `/ws`, notifications and push subscriptions. Plain types beside the schemas of the routes: the
 * dashboard imports them too. docs/realtime.md explains how a client uses them.
 */

import type { Static } from 'typebox';
import type { CrmRecord } from './crm/records.ts';
import type { Comment, OpenTasks, Task } from './crm/tasks.ts';
import type { KnowledgeRun } from './knowledge.ts';
import { limits } from './limits.ts';
import type { Message } from './messaging/messages.ts';
import type { Session } from './messaging/sessions.ts';
import {
  type NotificationKind,
  type NotificationTopic,
  notificationKinds,
  notificationTopics,
} from './notifications.ts';
import type { Permission } from './roles/permissions.ts';
import { pageQuery } from './shapes/paging.ts';
import { patterns } from './shapes/patterns.ts';
import { Type } from './shapes/type.ts';
import { choice, nullable } from './shapes/values.ts';

export const liveLimits = {
  ticketSeconds: 30,
  /** For a frame from the client. */
  frameBytes: 4_096,
  framesPerSecond: 20,
  /** How much may wait for a slow reader before its connection is closed. */
  bufferedBytes: 262_144,
  connectionsPerUser: 20,
  /** A client that missed more has to reload. */
  missedEvents: 2_000,
  /** How long a change can be requested again. */
  keptMinutes: 60,
  heartbeatSeconds: 25,
} as const;

/**
 * In addition to those of the WebSocket protocol: 1001 the service stops, 1003 a binary frame, 1009 a frame too
 * large.
 */
export const liveCloseCodes = {
  /** Not the protocol of docs/realtime.md. */
  badMessage: 4400,
  /** Signed out, deleted, or the role has changed: get a new ticket, or sign in. */
  revoked: 4401,
  /** Reads too slowly: reconnect and resume. */
  slow: 4408,
  /** Too many frames. */
  flood: 4429,
} as const;

export const TicketAnswer = Type.Object({
  ticket: Type.String({ description: 'For `/ws?ticket=…`: once, within 30 seconds.' }),
  expiresAt: Type.Number(),
  seq: Type.Integer({
    description:
      'The last change before the ticket. A first connection that resumes from here misses nothing.',
  }),
  epoch: Type.String(),
});

export const Notification = Type.Object({
  id: Type.String(),
  kind: choice(notificationKinds),
  title: Type.String(),
  body: Type.String(),
  sessionId: nullable(Type.String()),
  webhookId: nullable(Type.String()),
  channelId: nullable(Type.String({ description: 'The channel whose connector failed.' })),
  recordId: nullable(Type.String({ description: 'The record of a task or a comment.' })),
  knowledgeSourceId: nullable(Type.String({ description: 'The website whose run waits for a review.' })),
  agentId: nullable(Type.String({ description: 'The agent that reached a limit.' })),
  count: Type.Integer({ description: 'How many events this notification represents.' }),
  sound: Type.Boolean({
    description: 'Whether to play a sound: the user enabled it, and it is outside their quiet hours.',
  }),
  createdAt: Type.Number(),
  updatedAt: Type.Number(),
  readAt: nullable(Type.Number()),
});
export type Notification = Static<typeof Notification>;

export const NotificationsQuery = Type.Object({
  unread: Type.Optional(Type.Boolean({ description: 'true: only unread ones.' })),
  ...pageQuery(limits.listPage),
});
export const NotificationsPage = Type.Object({
  items: Type.Array(Notification),
  nextToken: nullable(Type.String()),
  unread: Type.Integer({ description: 'The total, not of this page.' }),
});
export const NotificationsRead = Type.Object({
  ids: Type.Optional(Type.Array(Type.String(), { maxItems: 100 })),
  sessionId: Type.Optional(Type.String({ description: 'All of this conversation.' })),
  recordId: Type.Optional(Type.String({ description: 'All of the tasks and comments of this record.' })),
  all: Type.Optional(Type.Literal(true, { examples: [true] })),
});
export type NotificationsRead = Static<typeof NotificationsRead>;
export const UnreadAnswer = Type.Object({ unread: Type.Integer() });

const Ways = Type.Object({
  page: Type.Boolean({ description: 'In the dashboard: in the list and as a short notice.' }),
  push: Type.Boolean({ description: 'To browsers subscribed to push messages.' }),
  sound: Type.Boolean({ description: 'A short sound in the dashboard.' }),
});
export type NotificationWays = Static<typeof Ways>;
const TimeOfDay = (example: string) => Type.String({ pattern: patterns.time, examples: [example] });

export const NotificationSettings = Type.Object({
  topics: Type.Object(
    Object.fromEntries(notificationTopics.map((topic) => [topic, Ways])) as {
      [topic in NotificationTopic]: typeof Ways;
    },
  ),
  quietHours: Type.Object({
    enabled: Type.Boolean(),
    from: TimeOfDay('20:00'),
    to: TimeOfDay('08:00'),
    timeZone: Type.String({ maxLength: 64, examples: ['Europe/Lisbon'] }),
  }),
});
export type NotificationSettings = Static<typeof NotificationSettings>;
const SomeWays = Type.Optional(Type.Partial(Ways));
export const NotificationSettingsUpdate = Type.Object({
  topics: Type.Optional(
    Type.Object(
      Object.fromEntries(notificationTopics.map((topic) => [topic, SomeWays])) as {
        [topic in NotificationTopic]: typeof SomeWays;
      },
    ),
  ),
  quietHours: Type.Optional(Type.Partial(NotificationSettings.properties.quietHours)),
});
export type NotificationSettingsUpdate = Static<typeof NotificationSettingsUpdate>;

const all = { page: true, push: true, sound: true };
/** For users without settings. */
export const defaultNotificationSettings: NotificationSettings = {
  topics: {
    message_mine: all,
    message_waiting: all,
    message_any: { page: false, push: false, sound: false },
    handover: all,
    attention: { page: true, push: true, sound: false },
    snooze_ended: all,
    mention: all,
    assigned: all,
    sla_warning: { page: true, push: true, sound: false },
    sla_breached: all,
    task_reminder: all,
    task_assigned: { page: true, push: true, sound: false },
    webhook_disabled: { page: true, push: true, sound: false },
    connector_failed: { page: true, push: true, sound: false },
    knowledge_review: { page: true, push: true, sound: false },
    agent_limit: { page: true, push: true, sound: false },
    rule: { page: true, push: true, sound: false },
    rule_disabled: { page: true, push: true, sound: false },
  },
  quietHours: { enabled: false, from: '20:00', to: '08:00', timeZone: 'UTC' },
};

export const PushKey = Type.Object({
  publicKey: Type.String({ description: 'The applicationServerKey of PushManager.subscribe.' }),
});
const key = (bytes: number, what: string, example: string) =>
  Type.String({
    pattern: patterns.base64url,
    maxLength: 128,
    description: `${what}, base64url of ${bytes} bytes.`,
    examples: [example],
  });
/** `PushSubscription.toJSON()`, unchanged. */
export const PushSubscribe = Type.Object({
  endpoint: Type.String({
    minLength: 1,
    maxLength: 2_048,
    examples: ['https://fcm.googleapis.com/fcm/send/an-example'],
  }),
  keys: Type.Object({
    p256dh: key(
      65,
      'The public key',
      'BIPUL12DLfytvTajnryr2PRdAgXS3HGKiLqndGcJGabyhHheJYlNGCeXl1dn18gSJ1WAkAPIxr4gK0_dQds4yiI',
    ),
    auth: key(16, 'The secret', 'FPssNDTKnInHVndSTdbKFw'),
  }),
});
export type PushSubscribe = Static<typeof PushSubscribe>;
export const PushSubscribed = Type.Object({ id: Type.String() });

/** The decrypted body of a push message. */
export interface PushMessage {
  notificationId: string;
  kind: NotificationKind | 'test';
  title: string;
  body: string;
  /** Notifications with the same tag replace each other. */
  tag: string;
  sessionId: string | null;
  /** Where a click leads, relative to the service's address. */
  url: string;
}

export interface LivePerson {
  id: string;
  name: string;
}

/** Numbered events: none is lost over a reconnection. `data` is the state when it is sent. */
export interface LiveChanges {
  'message.created': { sessionId: string; position: number; message: Message; session: Session };
  /** Status, reactions, transcript, an edited note, a released reply. */
  'message.updated': { sessionId: string; position: number; message: Message };
  'message.deleted': { sessionId: string; messageId: string };
  'session.created': { session: Session };
  /** Pause, transfer, unread, needsAttention, name; a new message's own change comes with `message.created`. */
  'session.updated': { session: Session };
  /** Deleted, or moved to a board that this user may not see. */
  'session.removed': { sessionId: string };
  'record.created': { record: CrmRecord };
  'record.updated': { record: CrmRecord };
  'record.deleted': { recordId: string; kanbanId: string | null };
  /** `tasks` is what the card of the record shows now. */
  'task.created': { task: Task; tasks: OpenTasks };
  'task.updated': { task: Task; tasks: OpenTasks };
  'task.deleted': { taskId: string; recordId: string; tasks: OpenTasks };
  'comment.created': { comment: Comment };
  'comment.updated': { comment: Comment };
  'comment.deleted': { commentId: string; recordId: string };
  /** Boards, fields, members, channels or agents have changed: reload them. */
  'definitions.updated': { version: number };
  /** Someone was blocked or unblocked: reload which conversations are blocked. */
  'contacts.updated': { blocked: null };
  /** A contact was created, changed, merged or is back: read it again. It may be one that this user may not see. */
  'contact.updated': { contactId: string };
  /** The progress of a run that reads a website, at most about once a second, and each change of its state. */
  'knowledge_run.updated': { run: KnowledgeRun };
  'notification.updated': { notification: Notification; unread: number };
  'notifications.read': { unread: number };
}
export type LiveChangeType = keyof LiveChanges;

/** Transient events: without a number, never repeated. */
export interface LiveSignals {
  /** Someone is typing, or has stopped. Forget it after 6 s without another one. `person` null: the customer. */
  typing: { sessionId: string; person: LivePerson | null; isTyping: boolean };
  /** Everyone who views it now. */
  presence: { sessionId: string | null; recordId: string | null; people: LivePerson[] };
}

/** Frames about the connection itself. */
export interface LiveNotices {
  /**
   * The first frame. `resumed`: missed events follow; otherwise the client starts at `seq`. `permissions`: those of this
   * connection, which ends when they change.
   */
  hello: { epoch: string; resumed: boolean; user: LivePerson; permissions: Permission[] };
  /** Some events can no longer be sent: reload everything, then continue from `seq`. */
  reload: { epoch: string };
  /** Every 25 s, so that `seq` stays current while nothing visible to this user happens. */
  heartbeat: { epoch: string };
  pong: { epoch: string };
}

type Frame<Types, Numbers> = { [T in keyof Types]: { type: T; data: Types[T] } & Numbers }[keyof Types];

export type ServerFrame =
  /** `prev` is the `seq` of the previous frame: a different one means that the client missed something. */
  | Frame<LiveChanges, { seq: number; prev: number }>
  | Frame<LiveSignals, { seq: null }>
  | Frame<LiveNotices, { seq: number }>;

export type ClientFrame =
  /** Once, as the first frame: what the last connection had seen. */
  | { type: 'resume'; seq: number; epoch: string }
  | { type: 'typing'; sessionId: string; isTyping: boolean }
  /** What the user is looking at; neither of the two: nothing. */
  | { type: 'viewing'; sessionId?: string | null; recordId?: string | null }
  | { type: 'ping' };
