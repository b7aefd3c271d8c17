/** Whom a channel reaches, and what a card knows of them. */
import type { Channel } from '../../../../contract/channels.ts';
import type { Kanban } from '../../../../contract/crm/kanbans.ts';
import type { CrmRecord } from '../../../../contract/crm/records.ts';
import type { ChannelType } from '../../../../contract/limits.ts';

const phoneTypes: readonly ChannelType[] = ['sms', 'chatapp', 'chatapp_byot', 'chatapp_no'];

/** Visitors of a web chat are only reachable after they have written. */
export const canStart = ({ type }: Pick<Channel, 'type'>) => type !== 'web';
export const reachesPhones = ({ type }: Pick<Channel, 'type'>) => phoneTypes.includes(type);

const minDigits = 7;
/** A phone number, or an id of a chat app. */
export const isPhone = (text: string) =>
  text.includes('@') || (/^[\d\s+().-]+$/.test(text) && text.replace(/\D/g, '').length >= minDigits);

/** The values of the card's phone and e-mail fields that this channel may reach, phone numbers first. */
export function recipientsOf(
  channel: Pick<Channel, 'type'>,
  record: Pick<CrmRecord, 'customFields'>,
  board: Pick<Kanban, 'fields'>,
): string[] {
  const valuesOf = (type: 'phone' | 'email') =>
    board.fields
      .filter((field) => field.type === type)
      .map((field) => record.customFields[field.id])
      .filter((value) => typeof value === 'string' && value.trim() !== '') as string[];
  const all = [...valuesOf('phone'), ...(reachesPhones(channel) ? [] : valuesOf('email'))];
  return [...new Set(all)];
}
