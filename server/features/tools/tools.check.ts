/** Checks a tool when it is configured, so that a call fails only on its arguments or on the other side. */
import { limits } from '../../../contract/limits.ts';
import type { ParameterSchema, Tool } from '../../../contract/tools.ts';
import { badRequest } from '../../platform/http/errors.ts';
import { checkOutboundUrl, type OutboundAllow } from '../../platform/outbound/outbound-address.ts';
import type { Definitions } from '../kanbans/kanbans.ts';
import { parametersProblem, propertiesOf } from './tools.schema.ts';
import {
  type Placeholder,
  placeholdersIn,
  placeholdersOf,
  readUrlTemplate,
  type UrlTemplate,
} from './tools.template.ts';

const { tools } = limits;

/** Resolves the address, so it runs before the transaction is opened. */
export async function checkToolUrl(url: string | undefined, allow: OutboundAllow): Promise<void> {
  if (url === undefined) return;
  const template = requireUrl(url);
  const problem = await checkOutboundUrl(`${authorityOf(url)}/`, allow);
  if (problem) throw badRequest(`url ${problem}`);
  if (template.path.length > tools.urlLength) throw badRequest('url is too long');
}

export interface CheckedTool extends Pick<Tool, 'parameters' | 'resultPath' | 'body' | 'method'> {
  url: string;
  headers: Readonly<Record<string, string>>;
}

/** `headers`: with their values. */
export function checkTool(definitions: Definitions, tool: CheckedTool): void {
  const { parameters, url, body, headers, resultPath } = tool;
  const problem = parametersProblem(parameters, tools.parameters);
  if (problem) throw badRequest(problem);
  checkSize('parameters', parameters, tools.schemaLength);
  checkSize('body', body, tools.bodyLength);
  if (tool.method === 'GET' && body !== null) throw badRequest('body cannot be sent with GET');
  const { path, query } = requireUrl(url);
  const inPath = placeholdersOf(path);
  const inUrl = [...inPath, ...placeholdersOf(query ?? '')];
  checkKnown('url', inUrl, parameters, definitions);
  checkKnown('body', placeholdersIn(readBody(body)), parameters, definitions);
  for (const [name, value] of Object.entries(headers)) {
    const ofService = placeholdersOf(value).filter(({ isOfService }) => isOfService);
    checkKnown(`headers.${name}`, ofService, parameters, definitions);
  }
  const required = Array.isArray(parameters.required) ? parameters.required : [];
  const optional = inPath.find(({ name, isOfService }) => !isOfService && !required.includes(name));
  if (optional) throw badRequest(`url has {${optional.name}} in its path, so it must be required`);
  const compound = inUrl.find(
    ({ name, isOfService }) => !isOfService && isCompound(propertiesOf(parameters)[name]),
  );
  if (compound) throw badRequest(`url has {${compound.name}}, which must be a single value`);
  if (resultPath !== null && !/^(?:\/(?:[^~/]|~[01])*)*$/.test(resultPath)) {
    throw badRequest('resultPath must be a JSON Pointer, such as /order/state');
  }
}

export function requireUrl(url: string): UrlTemplate {
  const template = readUrlTemplate(url);
  if ('problem' in template) throw badRequest(`url ${template.problem}`);
  return template;
}

/** A template may also be given as the text of its JSON. */
export function readBody(body: unknown): unknown {
  if (typeof body !== 'string') return body;
  try {
    return JSON.parse(body);
  } catch {
    throw badRequest('body must be JSON, with placeholders in texts only');
  }
}

function checkKnown(
  where: string,
  placeholders: readonly Placeholder[],
  parameters: ParameterSchema,
  { kanbans }: Definitions,
): void {
  const properties = propertiesOf(parameters);
  for (const { name, isOfService } of placeholders) {
    if (!isOfService) {
      if (!Object.hasOwn(properties, name)) {
        throw badRequest(`${where} has {${name}}, which is not one of parameters`);
      }
      continue;
    }
    if (name === 'customer.id' || name === 'customer.name') continue;
    const fieldId = name.startsWith('card.') ? name.slice('card.'.length) : null;
    const field =
      fieldId === null
        ? undefined
        : [...kanbans.values()].map(({ fields }) => fields.get(fieldId)).find((one) => one !== undefined);
    if (!field) throw badRequest(`${where} has an unknown value: {{${name.slice(0, 100)}}}`);
    if (!field.aiVisible) throw badRequest(`${where} has {{${name}}}, a field that is hidden from the AI`);
  }
}

function checkSize(name: string, value: unknown, max: number): void {
  if (JSON.stringify(value ?? null).length > max) {
    throw badRequest(`${name} must have at most ${max} characters as JSON`);
  }
}

const authorityOf = (url: string): string => /^https?:\/\/[^/?#]*/i.exec(url)![0];

function isCompound(schema: unknown): boolean {
  const { type } = (schema ?? {}) as ParameterSchema;
  return [type].flat().some((one) => one === 'array' || one === 'object');
}
