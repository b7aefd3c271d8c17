import type { Session, SessionStatus } from '../../../../contract/messaging/sessions.ts';
import { matchesPeople, peopleTerms, peopleText } from '../../../../contract/shapes/people-search.ts';
import { sessionState } from '../../data/session.ts';

export const shows = ['all', 'unread', 'attention', 'paused'] as const;
export type Show = (typeof shows)[number];

export const statusFilters = ['open', 'snoozed', 'resolved', 'all'] as const satisfies readonly (
  | SessionStatus
  | 'all'
)[];
export type StatusFilter = (typeof statusFilters)[number];

export const owners = ['mine', 'unassigned', 'all'] as const;
export type Owner = (typeof owners)[number];

export interface InboxFilter {
  status: StatusFilter;
  show: Show;
  q?: string;
  channelId?: string;
  agentId?: string;
  kanbanId?: string;
  teamId?: string;
  /** Any of them; absent: all conversations. */
  labelIds?: readonly string[];
  /** By service levels: those with a target that runs, the most urgent first, or those that are late. */
  sla?: 'due' | 'breached';
  /** Absent: all. */
  owner?: Exclude<Owner, 'all'>;
}

/** Besides the status, which is always one. */
export const isNarrowed = ({ show, status: _status, ...rest }: InboxFilter) =>
  show !== 'all' || Object.values(rest).some((value) => value !== undefined && value !== '');

/** Applies the service's filter to live updates. */
export function matchesFilter(session: Session, filter: InboxFilter): boolean {
  const { show, status, q, channelId, agentId, kanbanId, teamId, labelIds, owner, sla } = filter;
  if (status !== 'all' && session.status !== status) return false;
  if (channelId && session.channelId !== channelId) return false;
  if (agentId && session.agentId !== agentId) return false;
  if (kanbanId && session.kanbanId !== kanbanId) return false;
  if (teamId && session.teamId !== teamId) return false;
  if (labelIds && !labelIds.some((id) => session.labelIds.includes(id))) return false;
  if (owner && session.assignedUserId !== (owner === 'mine' ? myId() : null)) return false;
  if (show === 'unread' && session.unread === 0) return false;
  if (show === 'attention' && !session.needsAttention) return false;
  if (show === 'paused' && !session.aiPaused) return false;
  if (sla && nextDue(session) === null) return false;
  if (sla === 'breached' && !session.sla?.targets.some(({ state }) => state === 'breached')) return false;
  const text = peopleText([session.sessionName, session.externalUserId, session.sessionId]);
  return matchesPeople(text, peopleTerms(q ?? ''));
}

/** When the target that is due first is or was due. Null: none runs. */
export function nextDue({ sla, status }: Pick<Session, 'sla' | 'status'>): number | null {
  if (!sla || status === 'resolved') return null;
  const due = sla.targets.flatMap(({ state, dueAt }) =>
    (state === 'running' || state === 'breached') && dueAt !== null ? dueAt : [],
  );
  return due.length > 0 ? Math.min(...due) : null;
}

export function myId(): string {
  const state = sessionState();
  return state.kind === 'signedIn' ? state.signedIn.user.id : '';
}
