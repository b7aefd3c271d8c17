/** Triage where the reader is: what is done leaves the list, and the next conversation is opened. */
import { useNavigate, useParams } from '@tanstack/react-router';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import { focusRow } from '../list/list-keys.ts';
import { rowAfter, selection } from './selection.ts';
import { affected, type Triage, triage } from './triage.ts';

export type DoTriage = (kind: Triage, sessions: readonly InboxSession[], until?: number | null) => void;

export function useTriage(): DoTriage {
  const navigate = useNavigate();
  const { sessionId: openId } = useParams({ strict: false }) as { sessionId?: string };
  return (kind, sessions, until = null) => {
    const leaving = new Set(affected(kind, sessions).map(({ sessionId }) => sessionId));
    const focused = focusedRow();
    if (kind === 'resolve' || kind === 'snooze') {
      const next = openId && leaving.has(openId) ? rowAfter(openId, leaving) : undefined;
      if (next) void navigate({ to: '/inbox/$sessionId', params: { sessionId: next } });
      else if (next === null) void navigate({ to: '/inbox' });
      const row = focused && leaving.has(focused) ? rowAfter(focused, leaving) : null;
      if (row) focusRow(row);
    }
    selection.clear();
    void triage(kind, sessions, until);
  };
}

export const focusedRow = () => (document.activeElement as HTMLElement | null)?.dataset.session ?? null;
