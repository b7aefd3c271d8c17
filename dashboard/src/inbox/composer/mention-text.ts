export interface MentionedPerson {
  id: string;
  name: string;
}

/** Finds `@name` in a text. If one name is the start of another, the longer one matches. */
export function findMentions(
  text: string,
  people: readonly MentionedPerson[],
): (MentionedPerson & { at: number })[] {
  const byLength = people.toSorted((a, b) => b.name.length - a.name.length);
  const found: (MentionedPerson & { at: number })[] = [];
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const rest = text.slice(at + 1);
    const person = byLength.find(
      ({ name }) => name !== '' && rest.startsWith(name) && !/^[\p{L}\p{N}]/u.test(rest.slice(name.length)),
    );
    if (person) found.push({ id: person.id, name: person.name, at });
  }
  return found;
}
