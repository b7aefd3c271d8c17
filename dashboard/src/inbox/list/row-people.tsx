/** The owner of a conversation in its row, and who else reads it or writes in it now. */
import { Eye, PenLine } from 'lucide-react';
import type { Collision } from '../../data/collisions.ts';
import { t, tn } from '../../texts/texts.ts';
import { Avatar } from '../../ui/display/avatar.tsx';

const namesOf = (people: readonly { name: string }[]) => people.map(({ name }) => name).join(', ');

/** In words, for screen readers and as a title. */
export function collisionWords({ writing, reading }: Collision): string {
  if (writing.length > 0) return tn('inbox.collision.writing', writing.length, { names: namesOf(writing) });
  return reading.length > 0 ? tn('inbox.collision.reading', reading.length, { names: namesOf(reading) }) : '';
}

export interface RowPeopleProps {
  collision: Collision;
  owner: { id: string; name: string } | null;
}

export function RowPeople({ collision, owner }: RowPeopleProps) {
  const words = collisionWords(collision);
  return (
    <>
      {words !== '' && (
        <span
          title={words}
          aria-hidden
          className={collision.writing.length > 0 ? 'text-accent-ink' : 'text-muted'}
        >
          {collision.writing.length > 0 ? <PenLine className="size-3.5" /> : <Eye className="size-3.5" />}
        </span>
      )}
      {owner && (
        <span title={t('inbox.owner.is', { name: owner.name })} aria-hidden className="flex">
          <Avatar id={owner.id} name={owner.name} tip={false} className="size-4! text-[8px]!" />
        </span>
      )}
    </>
  );
}
