import type { Session } from '../../../../contract/messages.ts';
import { matchesPeople, peopleTerms, peopleText } from '../../../../contract/shapes/people-search.ts';

export const shows = ['all', 'unread', 'attention', 'paused'] as const;
export type Show = (typeof shows)[number];

export interface InboxFilter {
  show: Show;
  q?: string;
  channelId?: string;
  agentId?: string;
  kanbanId?: string;
}

export const isNarrowed = ({ show, ...rest }: InboxFilter) =>
  show !== 'all' || Object.values(rest).some((value) => value !== undefined && value !== '');

/** Applies the service's filter to live updates. */
export function matchesFilter(session: Session, filter: InboxFilter): boolean {
  const { show, q, channelId, agentId, kanbanId } = filter;
  if (channelId && session.channelId !== channelId) return false;
  if (agentId && session.agentId !== agentId) return false;
  if (kanbanId && session.kanbanId !== kanbanId) return false;
  if (show === 'unread' && session.unread === 0) return false;
  if (show === 'attention' && !session.needsAttention) return false;
  if (show === 'paused' && !session.aiPaused) return false;
  const text = peopleText([session.sessionName, session.externalUserId, session.sessionId]);
  return matchesPeople(text, peopleTerms(q ?? ''));
}
