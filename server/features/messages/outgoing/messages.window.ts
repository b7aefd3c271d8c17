/**
 * Some providers take free text only for a while after the customer's last message. Afterwards people send templates
 * where the provider has them, and replies of AI agents are held.
 */
import { windowClosed } from '../../../platform/http/errors.ts';
import type { Directory, SendWindow } from '../../channels/channels.ts';
import type { SessionState } from '../../sessions/sessions.ts';

/** For people: what is over, and what they can do. */
export function windowClosedReason(hasTemplates: boolean): string {
  const advice = hasTemplates ? 'Send a template instead.' : 'Wait until the customer writes again.';
  return `The time in which the provider accepts free text has ended: it begins with each message of the customer. ${advice}`;
}

export const windowClosedIn = ({ windows }: Pick<Directory, 'windows'>, channelId: string): string =>
  windowClosedReason(windows.get(channelId)?.hasTemplates ?? false);

type Author = 'agent' | 'person';

/** Null: the provider has no limit. */
function closesAt(
  { windows }: Pick<Directory, 'windows'>,
  { channelId, windowClosesAt }: Pick<SessionState, 'channelId' | 'windowClosesAt'>,
  author: Author,
): number | null {
  const window = windows.get(channelId);
  if (!window) return null;
  return (windowClosesAt ?? 0) + (author === 'person' ? window.personMs - window.agentMs : 0);
}

export function isWindowClosed(
  directory: Pick<Directory, 'windows'>,
  session: Pick<SessionState, 'channelId' | 'windowClosesAt'>,
  author: Author,
  now: number,
): boolean {
  const closes = closesAt(directory, session, author);
  return closes !== null && closes <= now;
}

export function requireWindow(
  directory: Pick<Directory, 'windows'>,
  session: Pick<SessionState, 'channelId' | 'windowClosesAt'>,
  author: Author,
  now: number,
): void {
  if (isWindowClosed(directory, session, author, now)) {
    throw windowClosed(windowClosedIn(directory, session.channelId));
  }
}

/** After a message of the customer. One that comes late does not move it back. */
export function windowAfter(
  window: SendWindow | undefined,
  before: number | null,
  sentAt: number,
): number | null {
  return window ? Math.max(before ?? 0, sentAt + window.agentMs) : before;
}
