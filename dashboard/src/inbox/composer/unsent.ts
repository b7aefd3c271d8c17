/**
 * Texts that were sent and are not confirmed yet, in sessionStorage: they belong to the window whose chat shows them.
 * After a reload the chat no longer does, so each text becomes the draft of its conversation again.
 */
import { draftOwner } from '../../data/draft-cleanup.ts';
import { onSession } from '../../data/session.ts';
import { type MailDraft, noMailDraft } from '../mail/mail-draft.ts';
import { readDrafts, storeDrafts } from './draft-storage.ts';

interface Unsent {
  id: string;
  text: string;
  isNote: boolean;
  isVisibleToAi: boolean;
  /** Null: nothing differs from the thread, or it is not a mail. */
  mail: MailDraft | null;
}

function read(key: string): Unsent[] {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(key) ?? '[]');
    return Array.isArray(stored) ? stored : [];
  } catch {
    return [];
  }
}

function write(key: string, unsent: readonly Unsent[]): void {
  try {
    if (unsent.length === 0) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(unsent));
  } catch {
    // Storage is full or disabled: the text is only in the chat.
  }
}

export function keepUnsent(sessionId: string, unsent: Unsent): void {
  const owner = draftOwner();
  if (owner !== null && unsent.text !== '') write(owner + sessionId, [...read(owner + sessionId), unsent]);
}

export function forgetUnsent(sessionId: string, id: string): void {
  const owner = draftOwner();
  if (owner === null) return;
  const key = owner + sessionId;
  write(
    key,
    read(key).filter((one) => one.id !== id),
  );
}

function restore(owner: string): void {
  for (const key of Object.keys(sessionStorage)) {
    if (!key.startsWith(owner)) continue;
    const sessionId = key.slice(owner.length);
    const unsent = read(key);
    const last = unsent.at(-1);
    if (!last) continue;
    const drafts = readDrafts(sessionId);
    const textOf = (isNote: boolean, written = '') =>
      [...unsent.filter((one) => one.isNote === isNote).map(({ text }) => text), written]
        .filter((text) => text !== '')
        .join('\n');
    const isStored = storeDrafts(sessionId, {
      isNote: drafts?.isNote ?? last.isNote,
      // A note that was meant for the team must not reach the AI with another one.
      isVisibleToAi: drafts?.isVisibleToAi ?? unsent.every((one) => !one.isNote || one.isVisibleToAi),
      reply: textOf(false, drafts?.reply),
      note: textOf(true, drafts?.note),
      mail: unsent.find(({ mail }) => mail)?.mail ?? drafts?.mail ?? noMailDraft,
    });
    if (isStored) sessionStorage.removeItem(key);
  }
}

/** Once, when the page has just been loaded and it is known who is signed in. */
function restoreOnce(): boolean {
  const owner = draftOwner();
  if (owner === null) return false;
  try {
    restore(owner);
  } catch {
    // A browser that forbids storage has nothing to restore.
  }
  return true;
}
if (!restoreOnce()) {
  const stop = onSession(() => {
    if (restoreOnce()) stop();
  });
}
