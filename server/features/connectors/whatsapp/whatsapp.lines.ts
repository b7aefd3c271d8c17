/** A readable line for each type of message that is neither text nor a file. */
import { listOf, numberOf, objectOf, textOf, type Values } from '../connectors.values.ts';

const joined = (parts: readonly (string | null | undefined)[], by = ', ') => parts.filter(Boolean).join(by);
const labelled = (label: string, text: string) => (text ? `${label}: ${text}` : label);

function location(content: Values): string {
  const place = joined([textOf(content.name), textOf(content.address)]);
  const { latitude, longitude } = content;
  const hasPoint = typeof latitude === 'number' && typeof longitude === 'number';
  const point = hasPoint ? `${latitude}, ${longitude}` : null;
  return labelled('Location', joined([place || null, point && (place ? `(${point})` : point)], ' '));
}

function contact(value: unknown): string {
  const { name, phones, emails } = objectOf(value);
  const told = [
    ...listOf(phones).map((one) => textOf(objectOf(one).phone) ?? textOf(objectOf(one).wa_id)),
    ...listOf(emails).map((one) => textOf(objectOf(one).email)),
  ].filter(Boolean);
  const { formatted_name, first_name } = objectOf(name);
  const who = textOf(formatted_name) ?? textOf(first_name);
  return joined([who, told.length > 0 ? (who ? `(${told.join(', ')})` : told.join(', ')) : null], ' ');
}

function contacts(list: unknown): string {
  const names = listOf(list).map(contact).filter(Boolean);
  return labelled(names.length > 1 ? 'Contacts' : 'Contact', names.join('; '));
}

/** The text of the button is what the customer says. */
const button = (content: Values) => textOf(content.text) ?? labelled('Button', textOf(content.payload) ?? '');

function interactive(content: Values): string {
  const reply = objectOf(content.button_reply ?? content.list_reply);
  const title = joined([textOf(reply.title), textOf(reply.description)], '\n');
  if (title) return title;
  const form = objectOf(content.nfm_reply);
  const said = textOf(form.body) ?? textOf(form.name);
  if (content.nfm_reply) return labelled('Form', said ?? '');
  return labelled('Interactive message', textOf(objectOf(content.body).text) ?? textOf(content.type) ?? '');
}

function order(content: Values): string {
  const items = listOf(content.product_items).map((value) => {
    const item = objectOf(value);
    const price = numberOf(item.item_price) ?? textOf(item.item_price);
    const cost = price === null ? null : `(${joined([String(price), textOf(item.currency)], ' ')})`;
    const count = numberOf(item.quantity) ?? 1;
    return joined([`${count} ×`, textOf(item.product_retailer_id) ?? 'item', cost], ' ');
  });
  return joined([labelled('Order', items.join(', ')), textOf(content.text)], '\n');
}

function unsupported(message: Values): string {
  const error = objectOf(listOf(message.errors)[0]);
  const details = textOf(objectOf(error.error_data).details) ?? textOf(error.title);
  const type = textOf(objectOf(message.unsupported).type);
  return labelled(`Unsupported message${type ? ` (${type})` : ''}`, details ?? '');
}

const lines: Record<string, (content: Values, message: Values) => string> = {
  location,
  contacts: (_, message) => contacts(message.contacts),
  button,
  interactive,
  order,
  sticker: () => 'Sticker',
  system: (content) => textOf(content.body) ?? 'System message',
  unsupported: (_, message) => unsupported(message),
  unknown: (_, message) => unsupported(message),
};

/** Of a type that is not known here: its name. */
export function lineOf(type: string, message: Values): string {
  const line = Object.hasOwn(lines, type) ? lines[type]!(objectOf(message[type]), message) : null;
  return line || `Unsupported message (${type.replaceAll('_', ' ').slice(0, 50)})`;
}
