import type { InboxSession } from '../../../../contract/dashboard.ts';
import { useMay } from '../../data/session.ts';

export type WriteMode = 'reply' | 'note';

/** What this person can write here. A blocked contact gets no replies. */
export function useWriteModes({ blocked }: Pick<InboxSession, 'blocked'>): readonly WriteMode[] {
  const mayReply = useMay('conversations.reply');
  const mayNote = useMay('notes.write');
  return [...(mayReply && !blocked ? ['reply' as const] : []), ...(mayNote ? ['note' as const] : [])];
}
