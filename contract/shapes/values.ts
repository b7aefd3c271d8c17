/** Two shapes that TypeBox spells with anyOf, which is slow to serialise and vague in its errors. */
import type { Static, TSchema } from 'typebox';
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

/** For writes whose result a client also hears of by a live event. */
export const ClientId = Type.String({
  pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
  description:
    'A UUID that the client made. It is returned as it is in responses and live events, so that the client recognizes what it wrote. Omitted if the client sent none. It does not deduplicate: Idempotency-Key does.',
  examples: ['0b9f6f5e-6f0c-4c39-9f53-0a4b1f2f6d11'],
});
