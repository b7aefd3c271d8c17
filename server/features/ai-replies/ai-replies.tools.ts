/** The tools as a model sees them. They have no ids: each acts on the session being answered. */
import { jsonSchema, type Schema, type Tool, type ToolSet, tool } from 'ai';
import type { Static, TSchema } from 'typebox';
import { Type } from '../../../contract/shapes/type.ts';
import { AppError, badRequest } from '../../platform/http/errors.ts';
import { checkObject } from '../../platform/http/validation.ts';
import type { AgentSettings, AgentTools, ToolName } from './ai-replies.conversation.ts';
import type { Mask } from './ai-replies.mask.ts';

const strict = { additionalProperties: false };
const name = (description: string) => Type.String({ minLength: 1, maxLength: 255, description });

const findRecord = Type.Object({}, strict);
const setField = Type.Object(
  {
    field: name("The field's name, as the record shows it"),
    value: Type.Union(
      [
        Type.String({ maxLength: 10_000 }),
        Type.Number(),
        Type.Boolean(),
        Type.Array(Type.String({ maxLength: 1_000 }), { maxItems: 100 }),
        Type.Null(),
      ],
      { description: 'The new value; null clears the field' },
    ),
  },
  strict,
);
const setStatus = Type.Object({ status: name('The status to move the record to') }, strict);
const transfer = Type.Object(
  {
    agent: Type.Optional(name('Name of the agent that takes over')),
    kanban: Type.Optional(name('Name of the board to move the conversation to')),
  },
  { ...strict, minProperties: 1 },
);
const handOver = Type.Object(
  { reason: Type.String({ maxLength: 1_000, description: 'For the colleague: what the customer needs' }) },
  strict,
);

const kindOf: Readonly<Record<ToolName, 'read' | 'write'>> = {
  find_record: 'read',
  set_field: 'write',
  set_status: 'write',
  transfer: 'write',
  hand_over: 'write',
};

/** A model that calls tools endlessly would change a record endlessly. */
const maxCalls = 12;
/** Of the account's tools. */
const maxOwnCalls = 5;

interface CallOutcome {
  name: string;
  input: unknown;
  result: string | null;
  error: string | null;
  ms: number;
}

export interface ToolRun {
  tools: ToolSet;
  kinds: Map<string, 'read' | 'write'>;
  /** What became of the calls, by their ids. */
  outcomes: Map<string, CallOutcome>;
  handedOver: boolean;
  /** An error of a tool that is not an answer for the model: the reply must fail with it. */
  failure: { error: unknown } | null;
}

/** Only what the administrator granted is offered; other calls never get here. */
export function offerTools(
  granted: AgentSettings['tools'],
  actions: AgentTools,
  signal: AbortSignal,
  mask: Mask,
): ToolRun {
  const run: ToolRun = { tools: {}, kinds: new Map(), outcomes: new Map(), handedOver: false, failure: null };
  let calls = 0;
  let ownCalls = 0;
  const define = <T extends TSchema>(
    called: ToolName,
    description: string,
    schema: T,
    act: (input: Static<T>) => Promise<string>,
  ): Tool =>
    offer(
      called,
      description,
      jsonSchema<Static<T>>({ ...schema } as Parameters<typeof jsonSchema>[0], {
        validate: (value) => validated(schema, value),
      }),
      act,
    );
  const offer = <T>(
    called: string,
    description: string,
    inputSchema: Schema<T>,
    act: (input: T) => Promise<string>,
  ): Tool =>
    tool({
      description,
      inputSchema,
      execute: async (input: T, { toolCallId }): Promise<string> => {
        signal.throwIfAborted();
        if (run.failure) return 'not done';
        calls += 1;
        const begun = performance.now();
        run.outcomes.set(toolCallId, { name: called, input, result: null, error: 'it was cut off', ms: 0 });
        const end = (result: string | null, error: string | null) =>
          run.outcomes.set(toolCallId, {
            ...{ name: called, input, result, error },
            ms: Math.round(performance.now() - begun),
          });
        try {
          if (calls > maxCalls) throw badRequest('too many calls: answer now');
          const result = await act(mask.restoreIn(input));
          end(result, null);
          return mask.hide(result);
        } catch (error) {
          if (!(error instanceof AppError) || error.status >= 500) {
            run.failure = { error };
            return 'not done';
          }
          end(null, error.message);
          return mask.hide(`Refused: ${error.message}`);
        }
      },
    });
  const all: Record<ToolName, () => Tool> = {
    find_record: () =>
      define('find_record', "Read this customer's CRM record: title, status and fields.", findRecord, () =>
        actions.findRecord(),
      ),
    set_field: () =>
      define('set_field', "Set one field of this customer's CRM record.", setField, ({ field, value }) =>
        actions.setField(field, value),
      ),
    set_status: () =>
      define('set_status', "Move this customer's CRM record to another status.", setStatus, ({ status }) =>
        actions.setStatus(status),
      ),
    transfer: () =>
      define(
        'transfer',
        'Move this conversation to another agent, another board, or both.',
        transfer,
        (target) =>
          actions.transfer({
            ...(target.agent ? { agentName: target.agent } : {}),
            ...(target.kanban ? { kanbanName: target.kanban } : {}),
          }),
      ),
    hand_over: () =>
      define(
        'hand_over',
        'Hand this conversation over to a human colleague.',
        handOver,
        async ({ reason }) => {
          const told = await actions.handOver(reason);
          run.handedOver = true;
          return told;
        },
      ),
  };
  for (const granting of new Set(granted)) {
    run.tools[granting] = all[granting]();
    run.kinds.set(granting, kindOf[granting]);
  }
  // A tool of the account that has the name of a built-in one is not offered.
  for (const { name, description, kind, parameters, call } of actions.own ?? []) {
    if (Object.hasOwn(all, name)) continue;
    run.tools[name] = offer(name, description, jsonSchema<unknown>(parameters), (given) => {
      ownCalls += 1;
      if (ownCalls > maxOwnCalls) throw badRequest('too many calls of such tools: answer now');
      return call(given);
    });
    run.kinds.set(name, kind);
  }
  return run;
}

function validated<T extends TSchema>(schema: T, value: unknown) {
  try {
    return { success: true as const, value: checkObject(schema, value) };
  } catch (error) {
    return { success: false as const, error: error as Error };
  }
}
