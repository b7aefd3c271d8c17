/** A tool as it is typed, and as the API has it. */
import type { ParameterSchema, Tool, ToolCreate } from '../../../../contract/tools.ts';
import { ExplainedError } from '../../data/errors.ts';
import { t } from '../../texts/texts.ts';
import { headerLines, readHeaderLines } from './header-lines.ts';

export const parameterTypes = ['string', 'number', 'integer', 'boolean', 'list'] as const;
export type ParameterType = (typeof parameterTypes)[number];

export interface ParameterRow {
  name: string;
  type: ParameterType;
  description: string;
  isRequired: boolean;
}

export interface ToolForm {
  name: string;
  description: string;
  kind: Tool['kind'];
  approval: Tool['approval'];
  method: NonNullable<Tool['method']>;
  url: string;
  /** Null: the schema says more than rows can show, and is typed as JSON. */
  rows: ParameterRow[] | null;
  schema: string;
  headers: string;
  body: string;
  resultPath: string;
  timeoutSeconds: string;
}

const jsonText = (value: unknown): string => JSON.stringify(value, null, 2);

export const emptyForm = (): ToolForm => ({
  name: '',
  description: '',
  kind: 'read',
  approval: 'never',
  method: 'GET',
  url: '',
  rows: [],
  schema: '',
  headers: '',
  body: '',
  resultPath: '',
  timeoutSeconds: '10',
});

export const formOf = (tool: Tool): ToolForm => ({
  name: tool.name,
  description: tool.description,
  kind: tool.kind,
  approval: tool.approval,
  method: tool.method ?? 'GET',
  url: tool.url ?? '',
  rows: rowsOf(tool.parameters),
  schema: jsonText(tool.parameters),
  headers: headerLines(tool.headers),
  body: tool.body === null ? '' : typeof tool.body === 'string' ? tool.body : jsonText(tool.body),
  resultPath: tool.resultPath ?? '',
  timeoutSeconds: String(tool.timeoutMs / 1_000),
});

export const readForm = (form: ToolForm): ToolCreate => ({
  name: form.name.trim(),
  description: form.description.trim(),
  kind: form.kind,
  approval: form.kind === 'read' ? 'never' : form.approval,
  method: form.method,
  url: form.url.trim(),
  parameters: form.rows ? schemaOf(form.rows) : (readJson(form.schema) as ParameterSchema),
  headers: readHeaderLines(form.headers, (line) => t('tools.headerLine', { line })),
  body: form.method === 'GET' || form.body.trim() === '' ? null : readJson(form.body),
  resultPath: form.resultPath.trim() || null,
  timeoutMs: Math.round(Number(form.timeoutSeconds) * 1_000),
});

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ExplainedError(t('tools.notJson', { reason: (error as Error).message }));
  }
}

/** Null: rows cannot show all that it says. */
export function rowsOf(schema: ParameterSchema): ParameterRow[] | null {
  const {
    type,
    properties = {},
    required = [],
    ...more
  } = schema as ParameterSchema & {
    properties?: Record<string, ParameterSchema>;
    required?: string[];
  };
  if (type !== 'object' || Object.keys(more).length > 0) return null;
  const rows: ParameterRow[] = [];
  for (const [name, property] of Object.entries(properties)) {
    const { description = '', ...rule } = property;
    const found = parameterTypes.find((one) => isSame(rule, ruleOf(one)));
    if (!found || typeof description !== 'string') return null;
    rows.push({ name, type: found, description, isRequired: required.includes(name) });
  }
  return rows;
}

const ruleOf = (type: ParameterType): ParameterSchema =>
  type === 'list' ? { type: 'array', items: { type: 'string' } } : { type };

/** The service keeps no order of properties. */
const isSame = (one: ParameterSchema, other: ParameterSchema): boolean =>
  JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort());

export function schemaOf(rows: readonly ParameterRow[]): ParameterSchema {
  const named = rows.filter(({ name }) => name.trim() !== '');
  const required = named.filter(({ isRequired }) => isRequired).map(({ name }) => name.trim());
  return {
    type: 'object',
    properties: Object.fromEntries(
      named.map(({ name, type, description }) => [
        name.trim(),
        { ...ruleOf(type), ...(description.trim() && { description: description.trim() }) },
      ]),
    ),
    ...(required.length > 0 && { required }),
  };
}

/** Arguments to begin a trial with. */
export function sampleArguments({ properties = {} }: ParameterSchema): string {
  const samples: Record<string, unknown> = { number: 0, integer: 0, boolean: false, array: [], object: {} };
  const entries = Object.entries(properties as Record<string, ParameterSchema>);
  return jsonText(Object.fromEntries(entries.map(([name, { type }]) => [name, samples[String(type)] ?? ''])));
}

export const readArguments = (text: string) => readJson(text) as Record<string, unknown>;
