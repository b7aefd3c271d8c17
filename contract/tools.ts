/** Tools: calls of an account's own systems, which agents may make. */
import type { Static } from 'typebox';
import { hiddenHeader } from './knowledge.ts';
import { limits } from './limits.ts';
import { patterns } from './shapes/patterns.ts';
import { Type } from './shapes/type.ts';
import { choice, nullable } from './shapes/values.ts';

const { tools } = limits;
const toolKinds = ['read', 'write'] as const;
const toolApprovals = ['always', 'never'] as const;
const toolMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** A schema of JSON Schema, of which the service knows a part. */
export interface ParameterSchema {
  [keyword: string]: unknown;
}

const Name = Type.String({
  pattern: patterns.toolName,
  description: 'What the model calls it. Unique in the account.',
});
const Description = Type.String({
  minLength: 1,
  maxLength: tools.descriptionLength,
  description: 'For the model: what the tool does and when to call it.',
});
const Url = Type.String({
  minLength: 1,
  maxLength: tools.urlLength,
  description:
    'May contain `{argument}` and the values of the service in its path and query. They are percent-encoded. A part of the query whose arguments are all left out is not sent.',
  examples: ['https://shop.example.com/orders'],
});
const Headers = Type.Record(Type.String(), Type.String(), {
  description: `Sent to the scheme, host and port of \`url\` only, and removed if these change. Values may contain \`{{customer.id}}\` and the other values of the service. Responses show \`${hiddenHeader}\` instead of values; sent back, it keeps the value. {} removes all.`,
});
const Body = Type.Unknown({
  description:
    'A template of JSON. A text that is only `{argument}` becomes the argument with its type, and is left out without one; inside a longer text it becomes text. Without a template, POST, PUT and PATCH send the arguments that `url` does not have.',
});
const Parameters = Type.Unsafe<ParameterSchema>({
  type: 'object',
  description: `The arguments as a JSON Schema of an object, with at most ${tools.parameters} properties. It may have type, properties, required, additionalProperties, enum, const, minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf, minLength, maxLength, items, minItems, maxItems, uniqueItems, and what only describes.`,
  examples: [{ type: 'object', properties: { orderId: { type: 'string' } }, required: ['orderId'] }],
});
const TimeoutMs = Type.Integer({ minimum: 100, maximum: tools.timeoutMs.max });
const MaxBytes = Type.Integer({ minimum: 1, maximum: tools.resultBytes });
const ResultPath = Type.String({
  maxLength: tools.pointerLength,
  description: 'A JSON Pointer: the part of the answer that is the result.',
});
const Kind = choice(toolKinds, { description: 'Whether a call changes something.' });
const Approval = choice(toolApprovals, {
  description:
    'Whether a person must approve each call. `never` for `read`; `always` for `write` unless given.',
});

export const Tool = Type.Object({
  id: Type.String(),
  name: Name,
  description: Type.String(),
  kind: Kind,
  approval: Approval,
  enabled: Type.Boolean({ description: 'Agents are offered only tools that are enabled.' }),
  method: nullable(choice(toolMethods)),
  url: nullable(Type.String()),
  headers: Headers,
  body: Type.Unknown(),
  parameters: Type.Unsafe<ParameterSchema>({ type: 'object', additionalProperties: true }),
  timeoutMs: Type.Integer(),
  resultPath: nullable(Type.String()),
  maxBytes: Type.Integer({ description: 'Of the answer. What is longer is cut.' }),
  mcpServerId: nullable(Type.String({ description: 'The MCP server that has it; null for an HTTP tool.' })),
  changedFrom: nullable(
    Type.Object(
      {
        description: Type.String(),
        parameters: Type.Unsafe<ParameterSchema>({ type: 'object', additionalProperties: true }),
      },
      {
        description:
          'What it was when it was enabled, if its MCP server has changed it since. Null once it is enabled again.',
      },
    ),
  ),
  createdAt: Type.Number(),
  updatedAt: Type.Number(),
});
export type Tool = Static<typeof Tool>;

const optional = {
  approval: Type.Optional(Approval),
  enabled: Type.Optional(Type.Boolean()),
  headers: Type.Optional(Headers),
  body: Type.Optional(Body),
  timeoutMs: Type.Optional(TimeoutMs),
  resultPath: Type.Optional(nullable(ResultPath)),
  maxBytes: Type.Optional(MaxBytes),
};
export const ToolCreate = Type.Object({
  name: Name,
  description: Description,
  kind: Kind,
  method: choice(toolMethods),
  url: Url,
  parameters: Parameters,
  ...optional,
});
export type ToolCreate = Static<typeof ToolCreate>;
export const ToolUpdate = Type.Partial(ToolCreate);
export type ToolUpdate = Static<typeof ToolUpdate>;

export const ToolTry = Type.Object({
  arguments: Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    examples: [{ orderId: '2024-118' }],
  }),
  confirm: Type.Optional(
    Type.Boolean({ description: 'Must be true for a tool of the kind `write`: it is really called.' }),
  ),
});
export type ToolTry = Static<typeof ToolTry>;
export const ToolTryAnswer = Type.Object({
  result: nullable(Type.String({ description: 'Shortened to 4 KB. Null: nothing came back.' })),
  truncated: Type.Boolean({ description: 'There was more.' }),
  error: nullable(Type.String({ description: 'Why the call failed; null: it did not.' })),
  status: nullable(Type.Integer({ description: 'The HTTP status of the answer.' })),
  ms: Type.Integer(),
});
export type ToolTryAnswer = Static<typeof ToolTryAnswer>;
