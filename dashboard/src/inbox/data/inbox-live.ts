/** Keeps the inbox current on every page. Imported by the inbox, hence loaded with it. */
import type { Session } from '../../../../contract/messaging/sessions.ts';
import { onLive } from '../../data/live.ts';
import { keys } from '../../data/queries.ts';
import { refresh } from '../../data/refresh.ts';
import { findThing, hear, hearCreated, hearDeleted, hearHidden } from '../../data/store/entities.ts';
import { rereadIfScheduled } from '../composer/later/scheduled-data.ts';
import { readCalls, readCallsIfChanged } from '../conversation/calls/tool-call-data.ts';
import { changesKey, lastReplyQuery, pausesKey } from './inbox-data.ts';
import { hearMessage, messageKey, previewOf } from './message-data.ts';

/** The AI was paused or resumed, the status changed: by whom is not known here. */
function readHistoryIfChanged(session: Session): void {
  const { sessionId, aiPaused, statusChangedAt, assignedUserId } = session;
  const known = findThing('session', sessionId);
  const read = (queryKey: string[]) => void refresh(queryKey);
  if (known?.aiPaused !== aiPaused) read(pausesKey(sessionId));
  if (known?.statusChangedAt !== statusChangedAt || known.assignedUserId !== assignedUserId) {
    read(changesKey(sessionId));
  }
  readCallsIfChanged(session, known);
}

onLive('message.created', ({ sessionId, message, session }) => {
  readHistoryIfChanged(session);
  if (message.clientId) hearCreated(message.clientId);
  hearMessage(sessionId, message);
  rereadIfScheduled(sessionId);
  const isShown = !message.isNote && !message.held && message.role !== 'system';
  hear('session', isShown ? { ...session, lastMessage: previewOf(message) } : session);
  if (message.role === 'assistant') {
    void refresh(lastReplyQuery(sessionId).queryKey);
    void readCalls(sessionId);
  }
});
onLive('message.updated', ({ sessionId, message }) => hearMessage(sessionId, message));
onLive('message.deleted', ({ sessionId, messageId }) =>
  hearDeleted('message', messageKey(sessionId, messageId)),
);
onLive('session.created', ({ session }) => void hear('session', session));
onLive('session.updated', ({ session }) => {
  readHistoryIfChanged(session);
  hear('session', session);
});
// The event does not say which contact: everything shown is fetched again.
onLive('contacts.updated', () => {
  for (const queryKey of [keys.sessions, ['session']]) void refresh(queryKey);
});
onLive('session.removed', ({ sessionId }) => {
  hearHidden('session', sessionId);
  void refresh(keys.session(sessionId));
});
