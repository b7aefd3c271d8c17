import { redirect } from '@tanstack/react-router';
import { firstRunQuery, isUnderWay } from '../data/first-run.ts';
import { kanbansQuery } from '../data/queries.ts';
import { queryClient } from '../data/query-client.ts';
import { sessionState } from '../data/session.ts';
import { recall } from './remembered.ts';

/** To the board that was open last, or to the inbox if there is no board. A new workspace opens the first steps. */
export async function redirectToStart(): Promise<never> {
  const state = sessionState();
  const permissions = state.kind === 'signedIn' ? state.signedIn.user.permissions : [];
  if (!permissions.includes('records.view')) {
    throw redirect({ to: permissions.includes('conversations.view') ? '/inbox' : '/settings' });
  }
  const boards = await queryClient.ensureQueryData(kanbansQuery);
  const last = recall('last-board', '');
  if (last === '' && (await isNewWorkspace())) throw redirect({ to: '/start' });
  const board =
    boards.find(({ slug }) => slug === last) ?? boards.find(({ isDefault }) => isDefault) ?? boards[0];
  throw board
    ? redirect({ to: '/boards/$boardId', params: { boardId: board.slug } })
    : redirect({ to: '/inbox' });
}

/** A failed request counts as no. */
async function isNewWorkspace(): Promise<boolean> {
  const state = sessionState();
  if (state.kind !== 'signedIn' || state.signedIn.user.role !== 'admin') return false;
  return queryClient.fetchQuery(firstRunQuery).then(
    (first) => first.isEmpty && isUnderWay(first),
    () => false,
  );
}
