/** Why conditions were not met, in the words of their fields: `status was open`. */
import { type ConditionFieldName, fieldOfCondition, isConditionField } from '../../../contract/conditions.ts';
import {
  type Comparison,
  comparisonOf,
  isOwnFilterField,
  type OwnFilterField,
} from '../../../contract/crm/filters.ts';
import type { FieldType } from '../../../contract/limits.ts';
import type { TimeZone } from '../../platform/time-zone.ts';
import type { ColumnValue } from '../search/search.ts';
import { type ConditionSubject, valueAt } from './conditions.subjects.ts';

const words: { [field in ConditionFieldName | OwnFilterField]: string } = {
  'session.status': 'status',
  'session.channelId': 'channel',
  'session.channelType': 'channel type',
  'session.agentId': 'agent',
  'session.assignedUserId': 'owner',
  'session.teamId': 'team',
  'session.labelIds': 'labels',
  'session.aiPaused': 'AI paused',
  'session.unread': 'number of unread messages',
  'session.language': 'language',
  'session.createdAt': 'creation time',
  'session.lastMessageAt': 'time of the last message',
  'session.rating': 'rating',
  'session.waitingMinutes': 'minutes of waiting',
  'contact.name': 'contact name',
  'contact.email': 'contact e-mail',
  'contact.phone': 'contact phone',
  'contact.blocked': 'contact blocked',
  'contact.sessionCount': 'number of conversations of the contact',
  'contact.createdAt': 'creation time of the contact',
  'contact.labelIds': 'contact labels',
  'message.content': 'message',
  'message.hasAttachment': 'attachment',
  'message.isFirst': 'first message',
  title: 'title',
  status: 'card status',
  assignedUserIds: 'assignees',
  labelIds: 'card labels',
  createdAt: 'creation time of the card',
  updatedAt: 'time of the last change of the card',
};
/** Some of a text is enough to recognise it. */
const shownCharacters = 80;
const shownItems = 5;

interface FieldContext {
  fieldOf(id: string): { type: FieldType; name: string } | undefined;
}
interface ReasonContext extends FieldContext {
  zone: TimeZone;
}

export function reasonOf(
  field: string,
  subject: ConditionSubject,
  at: number,
  context: ReasonContext,
): string {
  const definition = context.fieldOf(field);
  const isKnown = isConditionField(field) || isOwnFilterField(field);
  const word = isKnown ? words[field] : (definition?.name ?? field);
  const comparison = comparisonIn(field, context);
  const verb = isKnown && comparison === 'options' ? 'were' : 'was';
  return `${word} ${verb} ${shown(valueAt(subject, field, at), comparison, subject.names, context.zone)}`;
}

const comparisonIn = (field: string, { fieldOf }: FieldContext): Comparison | null =>
  isConditionField(field) ? fieldOfCondition(field).comparison : comparisonOf(field, fieldOf(field)?.type);

/** As the API shows values of this field. Ids stay ids. */
export function comparedValue(
  field: string,
  subject: ConditionSubject,
  at: number,
  context: FieldContext,
): unknown {
  const value = valueAt(subject, field, at);
  if (isEmpty(value)) return null;
  if (typeof value === 'object') return value.slice(0, shownItems).map(beginning);
  if (typeof value === 'string') return beginning(value);
  switch (comparisonIn(field, context)) {
    case 'boolean':
      return value === 1;
    case 'date':
      return isoDay(value);
    default:
      return value;
  }
}

const isEmpty = (value: ColumnValue | undefined): value is undefined | '' =>
  value === undefined || value === '' || (typeof value === 'object' && value.length === 0);
const isoDay = (days: number) => new Date(days * dayMs).toISOString().slice(0, 10);

function shown(
  value: ColumnValue | undefined,
  comparison: Comparison | null,
  names: ReadonlyMap<string, string>,
  zone: TimeZone,
): string {
  if (isEmpty(value)) return 'empty';
  if (typeof value === 'object') {
    const more = value.length > shownItems ? ', …' : '';
    return (
      value
        .slice(0, shownItems)
        .map((one) => beginning(names.get(one) ?? one))
        .join(', ') + more
    );
  }
  if (typeof value === 'string') return `"${beginning(value)}"`;
  switch (comparison) {
    case 'boolean':
      return value === 1 ? 'true' : 'false';
    case 'date':
      return isoDay(value);
    case 'time': {
      const local = new Date(value + zone.offsetAt(value)).toISOString();
      return `${local.slice(0, 10)} ${local.slice(11, 16)} (${zone.name})`;
    }
    default:
      return String(value);
  }
}

const dayMs = 86_400_000;

function beginning(text: string): string {
  const characters = [...text.slice(0, shownCharacters * 2 + 2)];
  return characters.length > shownCharacters ? `${characters.slice(0, shownCharacters).join('')}…` : text;
}
