/** Writes the part of docs/webhooks.md that comes from contract/events.ts: `npx node scripts/webhook-guide.ts`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { type EventName, eventTypes } from '../contract/events.ts';
import { eventExamples } from '../contract/examples/events.examples.ts';

const begin = '<!-- from contract/events.ts: begin -->';
const end = '<!-- from contract/events.ts: end -->';
export const guidePath = new URL('../docs/webhooks.md', import.meta.url);

interface Property {
  type?: string | string[];
  enum?: string[];
  description?: string;
  properties?: { [name: string]: Property };
  items?: Property;
  required?: string[];
}

export function writeEvents(guide: string): string {
  const [head, rest] = guide.split(begin);
  const tail = rest?.split(end)[1];
  if (head === undefined || tail === undefined) throw new Error('docs/webhooks.md has lost its markers');
  const names = Object.keys(eventTypes) as EventName[];
  return `${head}${begin}\n\n${names.map(describeEvent).join('\n\n')}\n\n${end}${tail}`;
}

function describeEvent(name: EventName): string {
  const { when, topLevel = {}, data } = eventTypes[name];
  const rows = [
    ...rowsOf({ properties: topLevel as Property['properties'] }, ''),
    ...rowsOf(data as Property, 'data.'),
  ];
  return [
    `### ${name}`,
    '',
    when,
    '',
    '| Member | Type | |',
    '|---|---|---|',
    ...rows,
    '',
    '```json',
    JSON.stringify(eventExamples[name], null, 2),
    '```',
  ].join('\n');
}

/** A record is described once, in the API reference. */
function rowsOf({ properties = {}, required }: Property, path: string): string[] {
  return Object.entries(properties).flatMap(([name, property]) => {
    const place = `${path}${name}`;
    const inner = property.properties ?? property.items?.properties;
    if (name === 'record')
      return `| \`${place}\` | object | The record, as GET /crm/records/{recordId} returns it. |`;
    const optional = required && !required.includes(name) ? ' Optional.' : '';
    const row = `| \`${place}\` | ${typeOf(property)} | ${property.description ?? ''}${optional} |`;
    const deeper = inner ? rowsOf(property.items ?? property, `${place}${property.items ? '[].' : '.'}`) : [];
    return [row.replace('|  ', '| '), ...deeper];
  });
}

function typeOf({ type, enum: values, items }: Property): string {
  if (values) return values.map((value) => `\`${value}\``).join(', ');
  if (type === 'array') return `array of ${items?.type ?? 'any'}`;
  return [type ?? 'any'].flat().join(' or ');
}

if (process.argv[1] === import.meta.filename)
  writeFileSync(guidePath, writeEvents(readFileSync(guidePath, 'utf8')));
