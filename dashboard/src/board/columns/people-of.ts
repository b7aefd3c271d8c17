import type { Card } from '../../../../contract/dashboard.ts';

interface Person {
  id: string;
  name: string;
}

const nobody: readonly Person[] = [];
const cached = new WeakMap<Card, { personOf: unknown; people: readonly Person[] }>();

/** The assigned people. The same array for the same card, so that the card is not rendered again. */
export function peopleOf(card: Card, personOf: (id: string) => Person | null): readonly Person[] {
  if (card.assignedUserIds.length === 0) return nobody;
  const known = cached.get(card);
  if (known?.personOf === personOf) return known.people;
  const people = card.assignedUserIds.flatMap((id) => personOf(id) ?? []);
  cached.set(card, { personOf, people });
  return people;
}
