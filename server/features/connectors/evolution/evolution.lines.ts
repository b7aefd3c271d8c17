/** A readable line for each kind of message that is neither text nor a file. */
import { listOf, numberOf, objectOf, textOf, type Values } from '../connectors.values.ts';

const joined = (parts: readonly (string | null)[], by = ', ') => parts.filter(Boolean).join(by);
const labelled = (label: string, text: string) => (text ? `${label}: ${text}` : label);

function location(content: Values): string {
  const place = joined([textOf(content.name), textOf(content.address) ?? textOf(content.caption)]);
  const { degreesLatitude, degreesLongitude } = content;
  const hasPoint = typeof degreesLatitude === 'number' && typeof degreesLongitude === 'number';
  const point = hasPoint ? `${degreesLatitude}, ${degreesLongitude}` : null;
  return joined([place || null, point && (place ? `(${point})` : point)], ' ');
}

function contact(content: Values): string {
  const card = textOf(content.vcard) ?? '';
  const numbers = [...card.matchAll(/^(?:\w+\.)?TEL[^:\n]*:(.+)$/gim)].map(([, number]) => number!.trim());
  return joined([textOf(content.displayName), numbers.length > 0 ? `(${numbers.join(', ')})` : null], ' ');
}

const optionNames = (content: Values) =>
  listOf(content.options).flatMap((one) => textOf(objectOf(one).optionName) ?? []);

function poll(content: Values): string {
  return labelled('Poll', joined([textOf(content.name), optionNames(content).join(' / ')], ' – '));
}

function vote(content: Values): string {
  const chosen = listOf(objectOf(content.vote).selectedOptions).flatMap((one) => textOf(one) ?? []);
  return labelled('Poll vote', chosen.join(', '));
}

const button = (text: string | null, id: string | null) => text ?? labelled('Button', id ?? '');

function order(content: Values): string {
  const count = numberOf(content.itemCount);
  const items = count === null ? null : `${count} ${count === 1 ? 'item' : 'items'}`;
  return labelled('Order', joined([textOf(content.orderTitle), items, textOf(content.message)]));
}

const lines: Record<string, (content: Values) => string> = {
  locationMessage: (content) => labelled('Location', location(content)),
  liveLocationMessage: (content) => labelled('Live location', location(content)),
  contactMessage: (content) => labelled('Contact', contact(content)),
  contactsArrayMessage: (content) =>
    labelled('Contacts', listOf(content.contacts).map(objectOf).map(contact).filter(Boolean).join('; ')),
  stickerMessage: () => 'Sticker',
  pollCreationMessage: poll,
  pollCreationMessageV2: poll,
  pollCreationMessageV3: poll,
  pollUpdateMessage: vote,
  buttonsMessage: (content) => textOf(content.contentText) ?? 'Buttons',
  buttonsResponseMessage: (content) =>
    button(textOf(content.selectedDisplayText), textOf(content.selectedButtonId)),
  templateButtonReplyMessage: (content) =>
    button(textOf(content.selectedDisplayText), textOf(content.selectedId)),
  listMessage: (content) => joined([textOf(content.title), textOf(content.description)], '\n') || 'List',
  listResponseMessage: (content) =>
    button(textOf(content.title), textOf(objectOf(content.singleSelectReply).selectedRowId)),
  interactiveMessage: (content) => textOf(objectOf(content.body).text) ?? 'Interactive message',
  interactiveResponseMessage: (content) => button(textOf(objectOf(content.body).text), null),
  templateMessage: (content) =>
    textOf(objectOf(content.hydratedTemplate).hydratedContentText) ?? 'Template message',
  orderMessage: order,
  productMessage: (content) => labelled('Product', textOf(objectOf(content.product).title) ?? ''),
  groupInviteMessage: (content) => labelled('Invitation to a group', textOf(content.groupName) ?? ''),
  eventMessage: (content) => labelled('Event', textOf(content.name) ?? ''),
};

/** Of a kind that is not known here: its name in words. */
export function lineOf(kind: string, content: Values): string {
  const line = Object.hasOwn(lines, kind) ? lines[kind]!(content) : null;
  if (line) return line;
  const words = kind
    .replace(/Message(V\d+)?$/, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
  return `Unsupported message (${words || 'unknown'})`;
}
