/**
 * Unsent texts in localStorage, one entry per conversation, user and account, so that windows do not overwrite each
 * other. Bounded in number and age. Signing out removes the user's entries (data/draft-cleanup.ts).
 */
import { useSyncExternalStore } from 'react';
import { draftOwner, draftPrefix } from '../../data/draft-cleanup.ts';
import { onSession, sessionState } from '../../data/session.ts';
import { isMailDraftEmpty, type MailDraft, readMailDraft } from '../mail/mail-draft.ts';

export interface StoredDrafts {
  /** When it was last changed. */
  at: number;
  isNote: boolean;
  reply: string;
  note: string;
  isVisibleToAi: boolean;
  /** Of a reply by e-mail. */
  mail: MailDraft;
}

const maxDrafts = 50;
const maxAgeMs = 30 * 24 * 60 * 60_000;

let owner = draftOwner();

/** Calls back when another window stores or removes the draft of the conversation. */
export function onDraftElsewhere(sessionId: string, listener: () => void): () => void {
  const hear = ({ key, storageArea }: StorageEvent) => {
    if (storageArea === localStorage && owner !== null && key === owner + sessionId) listener();
  };
  addEventListener('storage', hear);
  return () => removeEventListener('storage', hear);
}

export function readDrafts(sessionId: string): StoredDrafts | null {
  return owner === null ? null : read(owner + sessionId);
}

/** False: the browser does not store it (storage is full or disabled). */
export function storeDrafts(sessionId: string, drafts: Omit<StoredDrafts, 'at'>): boolean {
  if (owner === null) return false;
  const key = owner + sessionId;
  try {
    if (drafts.reply === '' && drafts.note === '' && isMailDraftEmpty(drafts.mail)) {
      localStorage.removeItem(key);
      tellMarks();
      return true;
    }
    const isNew = localStorage.getItem(key) === null;
    localStorage.setItem(key, JSON.stringify({ ...drafts, at: Date.now() }));
    if (isNew) removeOld();
    if (isNew) tellMarks();
    return true;
  } catch {
    return false;
  }
}

const markListeners = new Set<() => void>();
function tellMarks(): void {
  for (const listener of markListeners) listener();
}
function onMarks(listener: () => void): () => void {
  markListeners.add(listener);
  addEventListener('storage', listener);
  return () => {
    markListeners.delete(listener);
    removeEventListener('storage', listener);
  };
}

/** For the list: whether something was written in the conversation and not sent. */
export const useHasDraft = (sessionId: string): boolean =>
  useSyncExternalStore(onMarks, () => readDrafts(sessionId) !== null);

function read(key: string): StoredDrafts | null {
  try {
    const drafts = JSON.parse(localStorage.getItem(key) ?? 'null') as StoredDrafts | null;
    const isWhole =
      typeof drafts?.at === 'number' && typeof drafts.reply === 'string' && typeof drafts.note === 'string';
    if (!isWhole || Date.now() - drafts.at >= maxAgeMs) return null;
    return { ...drafts, mail: readMailDraft(drafts.mail) };
  } catch {
    return null;
  }
}

const keysWith = (start: string) => Object.keys(localStorage).filter((key) => key.startsWith(start));

/** Entries of every user age; only the signed-in user's are counted. */
function removeOld(): void {
  for (const key of keysWith(draftPrefix)) if (!read(key)) localStorage.removeItem(key);
  if (owner === null) return;
  const newestFirst = keysWith(owner).sort((a, b) => (read(b)?.at ?? 0) - (read(a)?.at ?? 0));
  for (const key of newestFirst.slice(maxDrafts)) localStorage.removeItem(key);
}

const logoutListeners = new Set<() => void>();
export const onLogout = (listener: () => void) => void logoutListeners.add(listener);

onSession(() => {
  owner = draftOwner();
  tellMarks();
  if (sessionState().kind !== 'signedOut') return;
  for (const listener of logoutListeners) listener();
});
