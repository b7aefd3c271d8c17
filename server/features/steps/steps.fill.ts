/**
 * Fills the placeholders of a step's texts: from the conversation, its card and the user who runs a macro; in a rule from
 * the payload of a hook and the answers of its calls too.
 */
import type { RuleStep } from '../../../contract/automation/steps.ts';
import type { CrmRecord } from '../../../contract/crm/records.ts';
import { type LanguageName, limits } from '../../../contract/limits.ts';
import type { Session } from '../../../contract/messaging/sessions.ts';
import {
  firstNameOf,
  placeholderNames,
  placeholdersIn,
  replacePlaceholders,
} from '../../../contract/shapes/placeholders.ts';
import type { Definitions, FieldDefinition, KanbanDefinition } from '../kanbans/kanbans.ts';
import { visitorName } from '../sessions/sessions.ts';
import type { Scene, StepValues } from './steps.scene.ts';

/** A step of a macro or of a rule. */
export type Step = Omit<RuleStep, 'id'> & { id?: string };

export interface Filled<S extends Step = Step> {
  step: S;
  /** Placeholders that have no value here, as written. */
  unfilled: string[];
}

/** What placeholders are filled in from. */
export type TextScene = Pick<
  Scene,
  'actor' | 'config' | 'session' | 'record' | 'language' | 'timeZone' | 'values'
>;

/** `text`: as a person has changed it; it is sent as it is. */
export function fillStep<S extends Step>(scene: TextScene, step: S, text?: string): Filled<S> {
  if (text !== undefined) return { step: { ...step, text }, unfilled: [] };
  const isRule = scene.actor.kind === 'rule';
  const values = fillValuesOf(scene);
  const unfilled = new Set<string>();
  const fill = (written: string) => fillText(written, values, unfilled);
  const { title, parameters, customFields, arguments: given, body } = step;
  return {
    step: {
      ...step,
      ...(step.text !== undefined && { text: fill(step.text) }),
      ...(title !== undefined && { title: fill(title) }),
      ...(parameters && { parameters: parameters.map(fill) }),
      // Those of macros are values, not texts with placeholders.
      ...(isRule && customFields && { customFields: fillJson(customFields, values, fill) as object }),
      ...(given && { arguments: fillJson(given, values, fill) as object }),
      ...(body !== undefined && { body: fillJson(body, values, fill) }),
    },
    unfilled: [...unfilled],
  };
}

interface FillValues extends StepValues {
  session: Pick<Session, 'sessionId' | 'sessionName' | 'externalUserId'> | null;
  /** Null: a rule has none. */
  operator: string | null;
  kanban: KanbanDefinition | undefined;
  record: CrmRecord | null;
  language: LanguageName;
  timeZone: string;
}

function fillValuesOf({ actor, session, record, config, language, timeZone, values }: TextScene): FillValues {
  const kanbanId = session?.kanbanId ?? record?.kanbanId ?? '';
  return {
    ...values,
    session,
    record,
    operator: actor.kind === 'rule' ? null : actor.name,
    kanban: config.definitions.kanbans.get(kanbanId),
    language,
    timeZone,
  };
}

function fillText(text: string, values: FillValues, unfilled: Set<string>): string {
  const found = new Map<string, string | null>();
  for (const { text: written, name } of placeholdersIn(text)) {
    if (!found.has(name)) found.set(name, valueFor(name, values));
    if (!found.get(name)) unfilled.add(written);
  }
  let added = 0;
  return replacePlaceholders(text, (_name, written) => {
    // Already longer than a message can be: the rest would only need memory.
    if (added > 2 * limits.messageLength) return null;
    const value = found.get(written) ?? null;
    added += value?.length ?? 0;
    return value;
  });
}

/** A text that is only a path becomes its value with its type; without a value it is left out, as in tools. */
function fillJson(template: unknown, values: FillValues, fill: (text: string) => string): unknown {
  if (typeof template === 'string') {
    const [only] = placeholdersIn(template);
    if (!only || only.text !== template) return fill(template);
    return readPath(only.name) ? valueAtPath(only.name, values) : (valueFor(only.name, values) ?? undefined);
  }
  if (typeof template !== 'object' || template === null) return template;
  if (Array.isArray(template)) {
    return template.map((one) => fillJson(one, values, fill)).filter((one) => one !== undefined);
  }
  const filled = Object.entries(template).map(([name, one]) => [name, fillJson(one, values, fill)] as const);
  return Object.fromEntries(filled.filter(([, value]) => value !== undefined));
}

/** Those that no board fills. */
export function unknownPlaceholders(
  text: string,
  { kanbans }: Definitions,
  isKnown: (name: string) => boolean = () => false,
): string[] {
  const fields = [...kanbans.values()].flatMap((kanban) => [...kanban.fields.values()].flatMap(namesOf));
  const known = new Set<string>([...placeholderNames, ...fields]);
  return placeholdersIn(text)
    .filter(({ name }) => !known.has(name.toLowerCase()) && !isKnown(name))
    .map((one) => one.text);
}

/** `payload.customer.name` or `steps.order.body.items.0.price`: its parts; null: it is no path. */
export function readPath(name: string): { from: 'payload' | 'steps'; parts: string[] } | null {
  const [from, ...parts] = name.split('.');
  if (from !== 'payload' && from !== 'steps') return null;
  return parts.length >= (from === 'steps' ? 2 : 1) ? { from, parts } : null;
}

function valueAtPath(name: string, { payload, steps }: FillValues): unknown {
  const { from, parts } = readPath(name)!;
  return valueAt(from === 'payload' ? payload : steps, parts);
}

/** Undefined: there is nothing, or null. */
export function valueAt(value: unknown, parts: readonly string[]): unknown {
  const found = parts.reduce<unknown>(
    (inside, part) =>
      typeof inside === 'object' && inside !== null && Object.hasOwn(inside, part)
        ? (inside as Record<string, unknown>)[part]
        : undefined,
    value,
  );
  return found ?? undefined;
}

/** The dashboard shows the names of system fields in the reader's language and inserts them so. */
const systemNames: { [name: string]: string[] } = {
  Phone: ['phone', 'telefone', 'teléfono'],
  'E-mail': ['e-mail', 'correo electrónico'],
};

function namesOf({ name, isSystem }: FieldDefinition): string[] {
  return (isSystem && systemNames[name]) || [name.toLowerCase()];
}

function valueFor(written: string, values: FillValues): string | null {
  const { operator, kanban, record } = values;
  const name = written.toLowerCase();
  if (name === 'customer') return customerOf(values);
  if (name === 'first name') return firstNameOf(customerOf(values) ?? '');
  if (name === 'operator') return operator;
  if (name === 'board') return kanban?.name ?? null;
  const field = [...(kanban?.fields.values() ?? [])].find((one) => namesOf(one).includes(name));
  const value = field && record?.customFields[field.id];
  if (field && value !== undefined) return valueText(field, value, values);
  return !field && readPath(written) ? textOf(valueAtPath(written, values)) : null;
}

function textOf(value: unknown): string | null {
  if (value === undefined) return null;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

const generatedId = /^(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?=.*\d)[\w-]{20,})$/i;

/** A generated id means nothing to people, so the customer is then called as on the card. */
function customerOf({ session, record, language }: FillValues): string | null {
  if (!session) return record?.title ?? null;
  const name = session.sessionName?.trim();
  if (name) return name;
  const id = session.externalUserId?.trim() || session.sessionId;
  return generatedId.test(id) ? visitorName(language, id) : id;
}

const locales: { [language in LanguageName]: string } = { en: 'en', pt: 'pt-BR', es: 'es-419' };
const answers: { [language in LanguageName]: { yes: string; no: string } } = {
  en: { yes: 'Yes', no: 'No' },
  pt: { yes: 'Sim', no: 'Não' },
  es: { yes: 'Sí', no: 'No' },
};

function valueText(field: FieldDefinition, value: unknown, { language, timeZone }: FillValues): string {
  const locale = locales[language];
  switch (field.type) {
    case 'number':
      return new Intl.NumberFormat(locale, { maximumFractionDigits: 6 }).format(Number(value));
    case 'currency':
      return new Intl.NumberFormat(
        locale,
        field.currency
          ? { style: 'currency', currency: field.currency }
          : { minimumFractionDigits: 2, maximumFractionDigits: 2 },
      ).format(Number(value));
    case 'date': {
      const form = { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const;
      return new Intl.DateTimeFormat(locale, form).format(Date.parse(`${value}T00:00:00Z`));
    }
    case 'datetime':
      return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(
        Number(value),
      );
    case 'boolean':
      return value ? answers[language].yes : answers[language].no;
    case 'multiselect':
      return (value as string[]).join(', ');
    default:
      return String(value);
  }
}
