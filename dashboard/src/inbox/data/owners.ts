/** Counts by owner, kept current, and changes of the owner or the team of a conversation. */
import { useQuery } from '@tanstack/react-query';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import type { Session } from '../../../../contract/messaging/sessions.ts';
import { api } from '../../data/api.ts';
import { onLive, useLiveStatus } from '../../data/live.ts';
import { refresh } from '../../data/refresh.ts';
import { t } from '../../texts/texts.ts';
import { toast } from '../../ui/overlays/toast.tsx';
import { findSession, placeSession, placeValues } from './inbox-cache.ts';
import { countsQuery } from './inbox-data.ts';

/** Counted by the service: the list here is never complete. */
export function useSessionCounts() {
  const live = useLiveStatus();
  // Polls while there is no live connection.
  return useQuery({ ...countsQuery, refetchInterval: live === 'open' ? false : 20_000 }).data;
}

/** Changes come in bursts, and every open inbox counts. */
const gatherMs = 500;
let timer: ReturnType<typeof setTimeout> | undefined;
const recount = () => {
  if (timer) return;
  timer = setTimeout(() => {
    timer = undefined;
    void refresh(countsQuery.queryKey);
  }, gatherMs);
};
// A message that opens a conversation again changes the conversation too.
for (const type of ['session.created', 'session.updated', 'session.removed'] as const) onLive(type, recount);

type Ownership = Partial<Pick<Session, 'assignedUserId' | 'teamId'>>;

/** Shown at once; reverted if it fails, and undoable. */
export async function setOwnership(session: InboxSession, change: Ownership, done: string): Promise<void> {
  const now = () => findSession(session.sessionId) ?? session;
  const { assignedUserId, teamId } = session;
  const before: Ownership = {
    ...('assignedUserId' in change && { assignedUserId }),
    ...('teamId' in change && { teamId }),
  };
  placeValues(session, change);
  try {
    const path = `/sessions/${encodeURIComponent(session.sessionId)}`;
    placeSession(await api<Session>('PATCH', path, { body: change }));
    recount();
    toast.undo(done, () => void setOwnership(now(), before, t('inbox.owner.undone')));
  } catch (error) {
    placeValues(session, before);
    toast.failed(t('inbox.owner.failed'), error, () => void setOwnership(session, change, done));
  }
}
