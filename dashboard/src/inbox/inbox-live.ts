/** Keeps the inbox current while the page lives, whichever view is open. Imported by the inbox, hence loaded with it. */
import { onLive } from '../data/live.ts';
import { keys } from '../data/queries.ts';
import { queryClient } from '../data/query-client.ts';
import {
  dropMessage,
  dropSession,
  findSession,
  placeMessage,
  placeSession,
  previewOf,
} from './inbox-cache.ts';
import { pausesKey } from './inbox-data.ts';
import { matchHeard } from './outbox.ts';

onLive('message.created', ({ sessionId, message, session }) => {
  matchHeard(sessionId, message);
  placeMessage(sessionId, message);
  const isShown = !message.isNote && !message.held && message.role !== 'system';
  placeSession(session, isShown ? previewOf(message) : undefined);
  if (message.role === 'assistant') {
    void queryClient.invalidateQueries({ queryKey: [...keys.session(sessionId), 'replies'] });
  }
});
onLive('message.updated', ({ sessionId, message }) => placeMessage(sessionId, message));
onLive('message.deleted', ({ sessionId, messageId }) => dropMessage(sessionId, messageId));
onLive('session.created', ({ session }) => placeSession(session));
onLive('session.updated', ({ session }) => {
  const isOther = findSession(session.sessionId)?.aiPaused !== session.aiPaused;
  if (isOther) void queryClient.invalidateQueries({ queryKey: pausesKey(session.sessionId) });
  placeSession(session);
});
// Of whom is not told: what is shown is asked for again.
onLive('contacts.updated', () => {
  for (const queryKey of [keys.sessions, ['session']]) void queryClient.invalidateQueries({ queryKey });
});
onLive('session.removed', ({ sessionId }) => dropSession(sessionId));
