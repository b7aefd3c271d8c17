/**
 * Templates of a business account. Meta numbers or names the parameters of the header, the text and each button on its
 * own. Here they are one list, in reading order: the header, the text, the buttons.
 */
import {
  type Link,
  type OutboundPart,
  ProviderError,
  type ProviderTemplate,
  type TemplatePlacement,
} from '../connectors.provider.ts';
import { listOf, objectOf, textOf, type Values } from '../connectors.values.ts';
import { listGraph } from '../meta/meta.graph.ts';
import { pathOf } from './whatsapp.connect.ts';
import { templateErrors } from './whatsapp.errors.ts';

export async function readTemplates(link: Link): Promise<ProviderTemplate[]> {
  const { businessAccountId } = link.settings;
  if (businessAccountId === undefined) {
    throw new ProviderError(
      'final',
      'Templates need the business account ID in the settings of the channel.',
    );
  }
  const query = { fields: 'name,language,category,status,components', limit: '100' };
  const path = `${pathOf(businessAccountId)}/message_templates`;
  return (await listGraph(link, { path, query }, templateErrors)).flatMap((one) => templateOf(one) ?? []);
}

function templateOf({ name, language, category, status, components }: Values): ProviderTemplate | null {
  const known = { name: textOf(name), language: textOf(language) };
  if (known.name === null || known.language === null) return null;
  const parts = listOf(components).map(objectOf);
  const { text, placements } = readable(sectionsOf(parts));
  const isPlain = placements.every((one) => one.in === 'body' && one.name === undefined);
  const unsupported = parts.map(unsupportedIn).find((reason) => reason !== null);
  return {
    name: known.name,
    language: known.language,
    category: textOf(category) ?? '',
    status: textOf(status) ?? '',
    text,
    parameterCount: placements.length,
    ...(!isPlain && { placements }),
    ...(unsupported && { unsupported }),
  };
}

const typeOf = ({ type }: Values) => (textOf(type) ?? '').toUpperCase();

/** A text of the template that may have parameters. */
interface Section {
  text: string;
  place: { in: 'header' | 'body' } | { in: 'button'; index: number; kind: 'url' | 'copy_code' };
}

/** The text itself, and what else has parameters: a header without any says nothing that has to be filled in. */
function sectionsOf(parts: readonly Values[]): Section[] {
  const textIn = (type: string) => textOf(parts.find((one) => typeOf(one) === type)?.text) ?? '';
  const buttons = parts.filter((one) => typeOf(one) === 'BUTTONS').flatMap((one) => listOf(one.buttons));
  return [
    ...withParameters({ text: textIn('HEADER'), place: { in: 'header' } }),
    { text: textIn('BODY'), place: { in: 'body' } },
    ...buttons.map(objectOf).flatMap(buttonOf),
  ];
}

const withParameters = (section: Section) => (keysIn(section.text).length > 0 ? [section] : []);

function buttonOf(button: Values, index: number): Section[] {
  const label = textOf(button.text) ?? 'Button';
  if (typeOf(button) === 'COPY_CODE') {
    return [{ text: `${label}: {{1}}`, place: { in: 'button', index, kind: 'copy_code' } }];
  }
  const text = `${label}: ${textOf(button.url) ?? ''}`;
  return typeOf(button) === 'URL'
    ? withParameters({ text, place: { in: 'button', index, kind: 'url' } })
    : [];
}

const placeholder = /\{\{\s*(\w+)\s*\}\}/g;

/** Numbers in their order, names in that of the text. */
function keysIn(text: string): string[] {
  const keys = [...new Set(Array.from(text.matchAll(placeholder), ([, key]) => key!))];
  return keys.every((key) => /^\d+$/.test(key)) ? keys.sort((a, b) => Number(a) - Number(b)) : keys;
}

/** All sections as one text, numbered throughout. */
function readable(sections: readonly Section[]): { text: string; placements: TemplatePlacement[] } {
  const placements: TemplatePlacement[] = [];
  const lines: string[] = [];
  for (const { text, place } of sections) {
    const keys = keysIn(text);
    const before = placements.length;
    lines.push(text.replace(placeholder, (_, key) => `{{${before + keys.indexOf(key) + 1}}}`));
    const isNamed = place.in !== 'button' && keys.some((key) => !/^\d+$/.test(key));
    placements.push(...keys.map((name) => ({ ...place, ...(isNamed && { name }) })));
  }
  return { text: lines.join('\n'), placements };
}

const freeComponents = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS', 'CALL_PERMISSION_REQUEST'];
/** Buttons that need no value, or a text. */
const knownButtons = ['QUICK_REPLY', 'PHONE_NUMBER', 'URL', 'COPY_CODE', 'VOICE_CALL', 'CATALOG', 'FLOW'];

/** Null: everything that this component needs is a text. */
function unsupportedIn(component: Values): string | null {
  const type = typeOf(component);
  const shown = (name: string) => name.toLowerCase().replaceAll('_', ' ').slice(0, 50);
  if (!freeComponents.includes(type)) return `it has a part that is not supported (${shown(type)})`;
  const format = (textOf(component.format) ?? 'TEXT').toUpperCase();
  if (type === 'HEADER' && format !== 'TEXT') return `its header needs more than text (${shown(format)})`;
  if (type !== 'BUTTONS') return null;
  const other = listOf(component.buttons)
    .map((button) => typeOf(objectOf(button)))
    .find((button) => !knownButtons.includes(button));
  return other === undefined ? null : `it has a button that is not supported (${shown(other)})`;
}

/** Meta rejects them. */
export function parameterProblem(value: string): string | null {
  const isRejected = /[\r\n\t]| {5}/.test(value);
  return isRejected ? 'must not have line breaks, tabs, or more than four spaces in a row' : null;
}

/** What a send has for each part of the template. */
export function componentsFor({ parameters, placements }: NonNullable<OutboundPart['template']>): Values[] {
  const places = placements ?? parameters.map((): TemplatePlacement => ({ in: 'body' }));
  if (places.length !== parameters.length) {
    throw new ProviderError('final', 'The template has changed: it has another number of parameters now.');
  }
  const filled = places.map((place, at) => ({ place, value: parameters[at]! }));
  const texts = (['header', 'body'] as const).flatMap((type) => {
    const own = filled.filter(({ place }) => place.in === type);
    return own.length > 0 ? [{ type, parameters: own.map(({ place, value }) => textFor(place, value)) }] : [];
  });
  const buttons = filled
    .filter(({ place }) => place.in === 'button')
    .map(({ place: { kind, index }, value }) => ({
      type: 'button',
      sub_type: kind,
      index: String(index),
      parameters: [
        kind === 'copy_code' ? { type: 'coupon_code', coupon_code: value } : { type: 'text', text: value },
      ],
    }));
  return [...texts, ...buttons];
}

const textFor = ({ name }: TemplatePlacement, text: string) => ({
  type: 'text',
  ...(name !== undefined && { parameter_name: name }),
  text,
});
