/** Counts by owner, kept current, and changes of the owner or the team of a conversation. */
import { useQuery } from '@tanstack/react-query';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import type { Session } from '../../../../contract/messaging/sessions.ts';
import { onLive, useLiveStatus } from '../../data/live.ts';
import { refresh } from '../../data/refresh.ts';
import { t } from '../../texts/texts.ts';
import { change } from './inbox-actions.ts';
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

/** Shown at once, taken back if it is rejected, and undoable. */
export function setOwnership(session: InboxSession, body: Ownership, done: string): void {
  const { assignedUserId, teamId } = session;
  const before: Ownership = {
    ...('assignedUserId' in body && { assignedUserId }),
    ...('teamId' in body && { teamId }),
  };
  void change(session, {
    request: { method: 'PATCH', path: `/sessions/${encodeURIComponent(session.sessionId)}`, body },
    shown: body,
    failed: t('inbox.owner.failed'),
    onDone: recount,
    done,
    undo: (now) => setOwnership(now, before, t('inbox.owner.undone')),
  });
}
