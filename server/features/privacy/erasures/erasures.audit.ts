/** The audit log keeps who did what to whom and when, ids of ours and counts, and nothing that names the person. */
import { isId } from '../../../platform/ids.ts';
import { type Matcher, sessionProperties } from './erasures.matching.ts';

interface Entry {
  id: string;
  action: string;
  targetType: string;
  targetId: string;
  changes: Record<string, unknown>;
}

const erased = 'erased';

/** Null: the entry stays as it is. An entry about the person keeps ids and counts; others, all that does not name them. */
export function withoutPerson(
  { id, action, targetType, targetId, changes }: Entry,
  matcher: Matcher,
): Pick<Entry, 'id' | 'targetId' | 'changes'> | null {
  // Of the erasure itself.
  if (action.startsWith('contact.eras')) return null;
  // A conversation's id may be a phone number.
  const hidesTarget =
    matcher.isIdentifier(targetId) ||
    (targetType === 'contact' && matcher.isBlocked(targetId)) ||
    (targetType === 'session' && matcher.sessionIds.has(targetId));
  const isAboutPerson = hidesTarget || matcher.ids.has(targetId);
  const kept = keptOf(changes, matcher, isAboutPerson);
  if (!hidesTarget && JSON.stringify(kept) === JSON.stringify(changes)) return null;
  return { id, targetId: hidesTarget ? erased : targetId, changes: kept };
}

function keptOf(
  changes: Entry['changes'],
  matcher: Matcher,
  isAboutPerson: boolean,
): Record<string, unknown> {
  const isNamed = (text: string, property: string) =>
    (isAboutPerson && !isId(text)) ||
    matcher.isIn(text) ||
    (sessionProperties.has(property) && matcher.sessionIds.has(text));
  const without = (value: unknown, property: string): unknown => {
    if (typeof value === 'string') return isNamed(value, property) ? erased : value;
    if (typeof value === 'number') return matcher.isIn(String(value)) ? erased : value;
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) return value.map((one) => without(one, property));
    return object(value as Record<string, unknown>, property);
  };
  // The old and the new value are below the name of the property.
  const object = (value: Readonly<Record<string, unknown>>, property: string) =>
    Object.fromEntries(
      Object.entries(value).map(([key, one]) => [
        matcher.isIn(key) ? erased : key,
        without(one, key === 'from' || key === 'to' ? property : key),
      ]),
    );
  return object(changes, '');
}
