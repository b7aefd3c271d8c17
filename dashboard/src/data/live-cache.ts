/**
 * Keeps the shared queries current; the store hears of cards itself (store/lists.ts), and a view's own lists subscribe to
 * changes themselves (`useLive`).
 */
import './viewers.ts';
import { onLive } from './live.ts';
import { keys } from './queries.ts';
import { readAgainIfUnderWay, refresh } from './refresh.ts';
import { onSession, sessionState } from './session.ts';

export function keepCacheCurrent(): void {
  onLive('record.updated', ({ record }) => {
    readAgainIfUnderWay(keys.record(record.recordId), { exact: true });
    void refresh(keys.activity(record.recordId));
  });
  onLive('record.deleted', ({ recordId }) => void refresh(keys.record(recordId)));
  const showActivity = (recordId: string) => void refresh(keys.activity(recordId));
  onLive('task.created', ({ task }) => showActivity(task.recordId));
  onLive('task.updated', ({ task }) => showActivity(task.recordId));
  onLive('task.deleted', ({ recordId }) => showActivity(recordId));
  onLive('comment.created', ({ comment }) => showActivity(comment.recordId));
  onLive('comment.updated', ({ comment }) => showActivity(comment.recordId));
  onLive('comment.deleted', ({ recordId }) => showActivity(recordId));
  onLive('definitions.updated', () => {
    for (const queryKey of [
      keys.kanbans,
      keys.fieldGroups,
      keys.channels,
      keys.agents,
      keys.teams,
      keys.labels,
    ])
      void refresh(queryKey);
  });
  // Missed changes are no longer available: everything on the screen is fetched again.
  onLive('reload', () => void refresh([]));
  // With other rights there is more to read, or less. After the views have been drawn again with them.
  let rights = rightsNow();
  onSession(() => {
    const before = rights;
    rights = rightsNow();
    if (before !== null && rights !== null && before !== rights) setTimeout(() => void refresh([]));
  });
}

/** Null: signed out. */
function rightsNow(): string | null {
  const state = sessionState();
  return state.kind === 'signedIn' ? state.signedIn.user.permissions.join(' ') : null;
}
