/** Fills the placeholders of a macro's texts from the conversation, its card and the user who runs it. */
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

export interface FillValues {
  session: Pick<Session, 'sessionId' | 'sessionName' | 'externalUserId'>;
  operator: string;
  kanban: KanbanDefinition | undefined;
  record: CrmRecord | null;
  language: LanguageName;
  timeZone: string;
}

export interface Filled {
  text: string;
  /** Placeholders that have no value here, as written. */
  unfilled: string[];
}

export function fillText(text: string, values: FillValues): Filled {
  const found = new Map<string, string | null>();
  const unfilled = new Set<string>();
  for (const { text: written, name: given } of placeholdersIn(text)) {
    const name = given.toLowerCase();
    if (!found.has(name)) found.set(name, valueFor(name, values));
    if (!found.get(name)) unfilled.add(written);
  }
  let added = 0;
  const filled = replacePlaceholders(text, (name) => {
    // Already longer than a message can be: the rest would only need memory.
    if (added > 2 * limits.messageLength) return null;
    const value = found.get(name) ?? null;
    added += value?.length ?? 0;
    return value;
  });
  return { text: filled, unfilled: [...unfilled] };
}

/** Those that no board fills. */
export function unknownPlaceholders(text: string, { kanbans }: Definitions): string[] {
  const fields = [...kanbans.values()].flatMap((kanban) => [...kanban.fields.values()].flatMap(namesOf));
  const known = new Set<string>([...placeholderNames, ...fields]);
  return placeholdersIn(text)
    .filter(({ name }) => !known.has(name.toLowerCase()))
    .map((one) => one.text);
}

/** The dashboard shows the names of system fields in the reader's language and inserts them so. */
const systemNames: { [name: string]: string[] } = {
  Phone: ['phone', 'telefone', 'teléfono'],
  'E-mail': ['e-mail', 'correo electrónico'],
};

function namesOf({ name, isSystem }: FieldDefinition): string[] {
  return (isSystem && systemNames[name]) || [name.toLowerCase()];
}

function valueFor(name: string, values: FillValues): string | null {
  const { operator, kanban, record } = values;
  if (name === 'customer') return customerOf(values);
  if (name === 'first name') return firstNameOf(customerOf(values));
  if (name === 'operator') return operator;
  if (name === 'board') return kanban?.name ?? null;
  const field = [...(kanban?.fields.values() ?? [])].find((one) => namesOf(one).includes(name));
  const value = field && record?.customFields[field.id];
  return field && value !== undefined ? valueText(field, value, values) : null;
}

const generatedId = /^(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?=.*\d)[\w-]{20,})$/i;

/** A generated id means nothing to people, so the customer is then called as on the card. */
function customerOf({ session, language }: FillValues): string {
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
