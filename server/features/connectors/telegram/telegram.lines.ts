/** What a customer sent that is neither text nor a file, as a line for people and for the AI. */
import { asNumber, asObject, asObjects, asText, type Json } from './telegram.read.ts';

/** Events of the chat itself: nothing that the customer says. */
const silent = [
  'chat_background_set',
  'connected_website',
  'forum_topic_closed',
  'forum_topic_created',
  'forum_topic_edited',
  'forum_topic_reopened',
  'message_auto_delete_timer_changed',
  'pinned_message',
  'proximity_alert_triggered',
  'write_access_allowed',
];

/** Part of every message, whatever it contains. */
const common = new Set([
  'message_id',
  'message_thread_id',
  'direct_messages_topic',
  'from',
  'sender_chat',
  'sender_boost_count',
  'sender_business_bot',
  'date',
  'edit_date',
  'chat',
  'forward_origin',
  'forward_from',
  'forward_from_chat',
  'forward_from_message_id',
  'forward_signature',
  'forward_sender_name',
  'forward_date',
  'is_topic_message',
  'is_automatic_forward',
  'is_from_offline',
  'is_paid_post',
  'reply_to_message',
  'reply_to_story',
  'reply_to_checklist_task_id',
  'external_reply',
  'quote',
  'via_bot',
  'has_protected_content',
  'has_media_spoiler',
  'media_group_id',
  'author_signature',
  'paid_star_count',
  'business_connection_id',
  'entities',
  'caption',
  'caption_entities',
  'show_caption_above_media',
  'link_preview_options',
  'effect_id',
  'reply_markup',
]);

const joined = (parts: readonly (string | null)[], separator = ', ') =>
  parts.filter((part) => part !== null).join(separator);

const position = (location: Json | null) =>
  `${asNumber(location?.latitude) ?? '?'}, ${asNumber(location?.longitude) ?? '?'}`;

const titled = (name: string, title: string | null) => (title === null ? name : `${name}: ${title}`);

const byKind: Record<string, (content: Json) => string> = {
  venue: (venue) => {
    const place = joined([asText(venue.title), asText(venue.address)]);
    return `Location: ${joined([place === '' ? null : place, `(${position(asObject(venue.location))})`], ' ')}`;
  },
  location: (location) =>
    `${asNumber(location.live_period) === null ? 'Location' : 'Live location'}: ${position(location)}`,
  contact: (contact) => {
    const name = joined([asText(contact.first_name), asText(contact.last_name)], ' ');
    return titled('Contact', joined([name === '' ? null : name, asText(contact.phone_number)]) || null);
  },
  sticker: (sticker) => joined(['Sticker', asText(sticker.emoji)], ' '),
  poll: (poll) => {
    const options = asObjects(poll.options).map((option) => asText(option.text));
    const choices = options.length === 0 ? null : `(${joined(options, ' / ')})`;
    return joined([titled('Poll', asText(poll.question)), choices], ' ');
  },
  dice: (dice) => `Dice: ${joined([asText(dice.emoji), String(asNumber(dice.value) ?? '?')], ' ')}`,
  checklist: (checklist) => {
    const tasks = asObjects(checklist.tasks).map((task) => asText(task.text));
    const list = tasks.length === 0 ? null : `(${joined(tasks, ' / ')})`;
    return joined([titled('Checklist', asText(checklist.title)), list], ' ');
  },
  game: (game) => titled('Game', asText(game.title)),
  invoice: (invoice) => titled('Invoice', asText(invoice.title)),
  story: () => 'Story',
  successful_payment: (payment) =>
    titled('Payment', joined([String(payment.total_amount ?? ''), asText(payment.currency)], ' ')),
  web_app_data: (data) => titled('Data of a web app', asText(data.data)),
};

/** Null: the message has no content of its own. A venue also has a `location`, so it comes first. */
export function describeContent(message: Json): { line: string; payload: Json } | null {
  for (const [kind, describe] of Object.entries(byKind)) {
    const content = asObject(message[kind]);
    if (content) return { line: describe(content), payload: { [kind]: content } };
  }
  if (silent.some((kind) => kind in message)) return null;
  const kind = Object.keys(message).find((key) => !common.has(key));
  if (kind === undefined) return null;
  return {
    line: `Unsupported message (${kind.replaceAll('_', ' ').slice(0, 100)})`,
    payload: { [kind]: message[kind] },
  };
}
