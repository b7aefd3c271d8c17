/** The OpenAPI document for tests: every operation, and every place in it for input. */
import type { TestService } from './service.ts';

export interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  patternProperties?: Record<string, Schema>;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  oneOf?: Schema[];
  examples?: unknown[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  $ref?: string;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  required?: boolean;
  schema: Schema;
}

export interface Operation {
  method: string;
  path: string;
  /** `GET /crm/records/{recordId}`, for messages. */
  name: string;
  isPublic: boolean;
  pathParameters: Parameter[];
  queryParameters: Parameter[];
  /** Of a JSON body. */
  body: Schema | null;
  /** For a body that is a file of another kind: its type and an example. */
  file: { type: string; example: string } | null;
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>;
}

/** Keys of objects, `0` for the item of an array. The key of a map is chosen by the caller. */
export type Place = (string | number)[];

interface Media {
  schema: Schema;
  example?: unknown;
}

interface RawOperation {
  parameters?: Parameter[];
  security?: object[];
  requestBody?: { content: Record<string, Media> };
  responses: Operation['responses'];
}

const methods = ['get', 'put', 'post', 'delete', 'patch'];

export async function readOperations(service: Pick<TestService, 'call'>): Promise<Operation[]> {
  const { body } = await service.call('GET', '/openapi.json', { token: null });
  return operationsOf(body as { paths: Record<string, Record<string, RawOperation>> });
}

export function operationsOf(document: { paths: Record<string, Record<string, RawOperation>> }): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => methods.includes(method))
      .map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        name: `${method.toUpperCase()} ${path}`,
        isPublic: operation.security?.length === 0,
        pathParameters: (operation.parameters ?? []).filter((parameter) => parameter.in === 'path'),
        queryParameters: (operation.parameters ?? []).filter((parameter) => parameter.in === 'query'),
        body: operation.requestBody?.content['application/json']?.schema ?? null,
        file: fileIn(operation.requestBody?.content ?? {}),
        responses: operation.responses,
      })),
  );
}

function fileIn(content: Record<string, Media>): Operation['file'] {
  const [type, media] = Object.entries(content).find(([name]) => name !== 'application/json') ?? [];
  const example = media?.schema.examples?.[0] ?? media?.example;
  return type !== undefined && typeof example === 'string' ? { type, example } : null;
}

/** Branches of a rule have the steps that are around them once more. */
const repeated = ['then', 'else'];

/** Every place inside a body, from the outside in, without the body itself. */
export function placesIn(schema: Schema, here: Place = []): Place[] {
  const inner = variantsOf(schema).flatMap((variant) => [
    ...Object.entries(variant.properties ?? {}).flatMap(([name, child]) => [
      [...here, name],
      ...(repeated.includes(name) ? [] : placesIn(child, [...here, name])),
    ]),
    ...(variant.items ? [[...here, 0], ...placesIn(variant.items, [...here, 0])] : []),
    ...mapValues(variant).flatMap((child) => [[...here, mapKey], ...placesIn(child, [...here, mapKey])]),
  ]);
  const seen = new Set<string>();
  return inner.filter((place) => {
    const text = JSON.stringify(place);
    return !seen.has(text) && seen.add(text);
  });
}

/** A key that the caller chooses; a sample replaces it with an existing one. */
export const mapKey = '*';

export function schemaAt(schema: Schema, place: Place): Schema {
  let current = schema;
  for (const step of place) {
    const found = variantsOf(current)
      .map((variant) =>
        typeof step === 'number'
          ? variant.items
          : (variant.properties?.[step] ?? (step === mapKey ? mapValues(variant)[0] : undefined)),
      )
      .find((child) => child !== undefined);
    current = found ?? {};
  }
  return current;
}

export function variantsOf(schema: Schema): Schema[] {
  const variants = schema.anyOf ?? schema.oneOf;
  return variants ? [schema, ...variants.flatMap(variantsOf)] : [schema];
}

export function typesOf(schema: Schema): string[] {
  return variantsOf(schema).flatMap((variant) => variant.type ?? []);
}

function mapValues(schema: Schema): Schema[] {
  const extra = typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : [];
  return [...extra, ...Object.values(schema.patternProperties ?? {})];
}
