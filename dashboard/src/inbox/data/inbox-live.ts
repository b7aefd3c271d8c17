/** Keeps the inbox current on every page. Imported by the inbox, hence loaded with it. */
import type { Session } from '../../../../contract/messages.ts';
import { onLive } from '../../data/live.ts';
import { keys } from '../../data/queries.ts';
import { queryClient } from '../../data/query-client.ts';
import {
  dropMessage,
  dropSession,
  findSession,
  placeMessage,
  placeSession,
  previewOf,
} from './inbox-cache.ts';
import { lastReplyQuery, pausesKey } from './inbox-data.ts';
import { matchHeard } from './outbox.ts';

/** The AI was paused or resumed, by whom is not known here. */
function readPausesIfChanged({ sessionId, aiPaused }: Session): void {
  if (findSession(sessionId)?.aiPaused === aiPaused) return;
  void queryClient.invalidateQueries({ queryKey: pausesKey(sessionId) });
}

onLive('message.created', ({ sessionId, message, session }) => {
  readPausesIfChanged(session);
  matchHeard(sessionId, message);
  placeMessage(sessionId, message);
  const isShown = !message.isNote && !message.held && message.role !== 'system';
  placeSession(session, isShown ? previewOf(message) : undefined);
  if (message.role === 'assistant') {
    void queryClient.invalidateQueries({ queryKey: lastReplyQuery(sessionId).queryKey });
  }
});
onLive('message.updated', ({ sessionId, message }) => placeMessage(sessionId, message));
onLive('message.deleted', ({ sessionId, messageId }) => dropMessage(sessionId, messageId));
onLive('session.created', ({ session }) => placeSession(session));
onLive('session.updated', ({ session }) => {
  readPausesIfChanged(session);
  placeSession(session);
});
// The event does not say which contact: everything shown is fetched again.
onLive('contacts.updated', () => {
  for (const queryKey of [keys.sessions, ['session']]) void queryClient.invalidateQueries({ queryKey });
});
onLive('session.removed', ({ sessionId }) => dropSession(sessionId));
