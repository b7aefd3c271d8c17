/** Signing out removes the user's drafts from this browser, whichever page is open. An expired session keeps them. */
import { currentPerson, onSession, sessionState } from './session.ts';

export const draftPrefix = 'talkboard.draft.';

/** What the keys of the signed-in user's drafts start with. */
export function draftOwner(): string | null {
  const person = currentPerson();
  return person && `${draftPrefix}${person}.`;
}

export function removeDraftsOnSignOut(): void {
  let owner = draftOwner();
  onSession(() => {
    const state = sessionState();
    if (owner !== null && state.kind === 'signedOut' && !state.ended) removeAll(owner);
    owner = draftOwner();
  });
}

function removeAll(start: string): void {
  try {
    for (const storage of [localStorage, sessionStorage]) {
      for (const key of Object.keys(storage)) if (key.startsWith(start)) storage.removeItem(key);
    }
  } catch {
    // A browser that forbids storage has nothing to remove.
  }
}
