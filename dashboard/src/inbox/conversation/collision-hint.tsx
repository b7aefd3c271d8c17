/** Colleagues in the same conversation: in its header, and above the composer, before two people answer. */
import { Eye, PenLine } from 'lucide-react';
import { useEffect } from 'react';
import { useCollision } from '../../data/collisions.ts';
import { setViewing } from '../../data/live.ts';
import { cx } from '../../ui/class-names.ts';
import { AvatarStack } from '../../ui/display/avatar.tsx';
import { collisionWords } from '../list/row-people.tsx';

/** Also tells the colleagues that this person is here. */
export function Colleagues({ sessionId }: { sessionId: string }) {
  const collision = useCollision(sessionId);
  useEffect(() => {
    setViewing({ sessionId });
    return () => setViewing({});
  }, [sessionId]);
  const { writing, reading } = collision;
  const people = [...writing, ...reading];
  if (people.length === 0) return null;
  const Icon = writing.length > 0 ? PenLine : Eye;
  return (
    <span
      role="img"
      aria-label={collisionWords(collision)}
      title={collisionWords(collision)}
      className={cx(
        // On a phone the line above the composer is enough.
        'flex h-6 shrink-0 items-center gap-1 rounded-full pr-0.5 pl-1.5 max-sm:hidden',
        writing.length > 0 ? 'bg-accent-soft text-accent-ink' : 'bg-sunken text-muted',
      )}
    >
      <Icon aria-hidden className="size-3.5" />
      <AvatarStack people={people} tip={false} />
    </span>
  );
}

/** Announced once when it begins, not at every letter. */
export function CollisionHint({ sessionId }: { sessionId: string }) {
  const collision = useCollision(sessionId);
  const isWriting = collision.writing.length > 0;
  const words = collisionWords(collision);
  return (
    <div aria-live="polite" className="mx-auto max-w-3xl">
      {words !== '' && (
        <p
          className={cx(
            'mb-1.5 flex items-center gap-2 rounded-control px-2.5 py-1 text-sm',
            isWriting ? 'bg-warning-soft font-medium text-warning' : 'bg-sunken text-muted',
          )}
        >
          {isWriting ? (
            <PenLine aria-hidden className="size-3.5 shrink-0" />
          ) : (
            <Eye aria-hidden className="size-3.5 shrink-0" />
          )}
          <span className="min-w-0 truncate">{words}</span>
        </p>
      )}
    </div>
  );
}
