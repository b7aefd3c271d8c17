/** What was begun in a conversation is there again when one comes back to it, as long as the page lives. */
import type { Upload } from './uploads.ts';

export interface DraftState {
  text: string;
  isNote: boolean;
  isVisibleToAi: boolean;
  uploads: Upload[];
}

export const emptyDraft: DraftState = { text: '', isNote: false, isVisibleToAi: false, uploads: [] };
const drafts = new Map<string, DraftState>();

export const recallDraft = (sessionId: string) => drafts.get(sessionId) ?? emptyDraft;
export function keepDraft(sessionId: string, draft: DraftState): void {
  if (draft.text === '' && draft.uploads.length === 0) drafts.delete(sessionId);
  else drafts.set(sessionId, draft);
}
