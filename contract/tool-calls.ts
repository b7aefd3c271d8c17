/** Calls of tools that wait for a person, or were decided by one. */
import type { Static } from 'typebox';
import { Type } from './shapes/type.ts';
import { choice, nullable } from './shapes/values.ts';

const toolCallStates = [
  'waiting',
  'running',
  'done',
  'failed',
  'rejected',
  'cancelled',
  'expired',
  'unknown',
] as const;

export const ToolCallEntry = Type.Object({
  id: Type.String(),
  toolId: Type.String(),
  agentId: Type.String({ description: 'The agent that asked.' }),
  name: Type.String({ description: 'Of the tool when the agent asked.' }),
  arguments: Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true }),
  state: choice(toolCallStates, {
    description:
      '`waiting` for a person; `running` since the approval; `cancelled` by a pause, a transfer or a block; `expired` after 24 hours; `unknown`: it was cut off, may have happened, and is never repeated.',
  }),
  requestedAt: Type.Number(),
  decidedBy: nullable(Type.String({ description: 'The name of who approved or rejected it.' })),
  result: nullable(Type.String({ description: 'What came back, or why it failed; shortened to 4 KB.' })),
});
export type ToolCallEntry = Static<typeof ToolCallEntry>;
