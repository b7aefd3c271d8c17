/** Two shapes that TypeBox spells with anyOf, which is slow to serialise and vague in its errors. */
import type { Static, TSchema } from 'typebox';
import { patterns } from './patterns.ts';
import { Type } from './type.ts';

export const choice = <const T extends readonly string[]>(
  values: T,
  options: { description?: string } = {},
) => Type.Unsafe<T[number]>({ ...options, type: 'string', enum: [...values] });

export const nullable = <T extends TSchema>(schema: T) => {
  const { type, ...rest } = schema as unknown as { type: string; enum?: unknown[] };
  const values = rest.enum ? { enum: [...rest.enum, null] } : {};
  return Type.Unsafe<Static<T> | null>({ ...rest, ...values, type: [type, 'null'] });
};

/** For creates whose result a client also hears of by a live event. */
export const ClientId = Type.String({
  pattern: patterns.clientId,
  description:
    'An id that the client made, such as a UUID: 1 to 64 visible ASCII characters. It is returned as it is in responses and live events, so that the client recognizes what it wrote. It does not deduplicate: Idempotency-Key does.',
  examples: ['0b9f6f5e-6f0c-4c39-9f53-0a4b1f2f6d11'],
});
/** As it is returned. */
export const EchoedClientId = nullable(
  Type.String({ description: 'The `clientId` of the request that created it; null if it had none.' }),
);
