/** Colleagues in the same conversation, above the composer, before two people answer. */
import { Eye, PenLine } from 'lucide-react';
import { useEffect } from 'react';
import { useCollision } from '../../data/collisions.ts';
import { setViewing } from '../../data/live.ts';
import { cx } from '../../ui/class-names.ts';
import { collisionWords } from '../list/row-people.tsx';

/** Tells the colleagues that this person is here. */
export function useShownToColleagues(sessionId: string): void {
  useEffect(() => {
    setViewing({ sessionId });
    return () => setViewing({});
  }, [sessionId]);
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
