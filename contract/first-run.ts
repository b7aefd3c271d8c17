/** A newcomer's first steps, and the demo. */
import type { Static } from 'typebox';
import { Type } from './shapes/type.ts';
import { choice, nullable } from './shapes/values.ts';

export const firstRunSteps = ['chat', 'card', 'takeOver', 'token', 'webhook'] as const;
export type FirstRunStep = (typeof firstRunSteps)[number];

export const FirstRun = Type.Object({
  steps: Type.Array(
    Type.Object({
      step: choice(firstRunSteps),
      doneAt: nullable(Type.Number({ description: 'When the step was first found done; null: not yet.' })),
    }),
  ),
  dismissedAt: nullable(Type.Number()),
  isEmpty: Type.Boolean({ description: 'The workspace has neither a record nor a conversation.' }),
  chat: nullable(
    Type.Object(
      { channelId: Type.String(), channelName: Type.String() },
      { description: 'The web channel that the demo chat is on; null: there is none.' },
    ),
  ),
  conversation: nullable(
    Type.Object(
      {
        sessionId: Type.String(),
        sessionName: nullable(Type.String()),
        aiPaused: Type.Boolean(),
        answered: Type.Boolean({ description: 'The AI has replied.' }),
        recordId: nullable(Type.String()),
        recordTitle: nullable(Type.String()),
        status: nullable(Type.String()),
        kanbanId: Type.String(),
      },
      {
        description:
          'The latest conversation in which a customer wrote, on any channel but those of the demo, with its card.',
      },
    ),
  ),
  demo: nullable(
    Type.Object(
      {
        filledAt: Type.Number(),
        used: Type.Integer({
          description:
            'Messages and records that people have added to it, and articles of it that they have changed.',
        }),
      },
      { description: 'Null: the workspace has no demo.' },
    ),
  ),
});
export type FirstRun = Static<typeof FirstRun>;
export const FirstRunUpdate = Type.Object({ dismissed: Type.Boolean() });
export type FirstRunUpdate = Static<typeof FirstRunUpdate>;

export const FirstRunDismissed = Type.Object({ dismissedAt: nullable(Type.Number()) });

export const DemoFilled = Type.Object({
  boards: Type.Integer(),
  users: Type.Integer(),
  records: Type.Integer(),
  changes: Type.Integer({ description: 'How often the records were changed.' }),
  conversations: Type.Integer(),
  messages: Type.Integer(),
});
export type DemoFilled = Static<typeof DemoFilled>;
export const DemoRemoveQuery = Type.Object({
  force: Type.Optional(
    Type.Boolean({ description: 'Also delete records and messages that people have added to the demo.' }),
  ),
});
export const DemoRemoved = Type.Object({ records: Type.Integer(), conversations: Type.Integer() });
export type DemoRemoved = Static<typeof DemoRemoved>;
