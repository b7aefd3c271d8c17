/**
 * What the copilot suggests for a reply, per conversation. It lies over what the person typed, which stays the draft: so
 * Undo and a reload bring that back, and nothing unmarked is left over. Once edited, the text is the person's own.
 */
import { useSyncExternalStore } from 'react';
import type { CopilotAnswer, CopilotOutcome, CopilotRequest } from '../../../../contract/copilot.ts';
import { onSession, sessionState } from '../../data/session.ts';
import { loadedMessages } from '../data/message-data.ts';
import { askCopilot, reportOutcome } from './copilot-data.ts';

/** `edited`: it is the draft by now; what becomes of it is still reported. */
type State = 'making' | 'marked' | 'edited' | 'failed';

export interface Suggestion {
  state: State;
  request: CopilotRequest;
  /** What the person had typed. */
  typed: string;
  /** Puts values in place of placeholders: a suggestion may be a saved reply. */
  fill(text: string): string;
  text: string;
  /** The newest message of the conversation that it takes into account. */
  basedOnMessageId: string | null;
  answer: CopilotAnswer | null;
  error: unknown;
}

const suggestions = new Map<string, Suggestion>();
const running = new Map<string, AbortController>();
const listeners = new Set<() => void>();

function put(sessionId: string, suggestion: Suggestion | null): void {
  if (suggestion) suggestions.set(sessionId, suggestion);
  else suggestions.delete(sessionId);
  for (const listener of listeners) listener();
}

function patch(sessionId: string, parts: Partial<Suggestion>): void {
  const known = suggestions.get(sessionId);
  if (known) put(sessionId, { ...known, ...parts });
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};
export const suggestionOf = (sessionId: string): Suggestion | null => suggestions.get(sessionId) ?? null;
export const useSuggestion = (sessionId: string): Suggestion | null =>
  useSyncExternalStore(subscribe, () => suggestionOf(sessionId));

/** Whether the composer shows it instead of what was typed. */
export const isOver = (suggestion: Suggestion | null): suggestion is Suggestion =>
  suggestion?.state === 'making' || suggestion?.state === 'marked';

export async function makeSuggestion(
  sessionId: string,
  request: CopilotRequest,
  { typed, fill }: Pick<Suggestion, 'typed' | 'fill'>,
): Promise<void> {
  // To have it rewritten is to edit it.
  endSuggestion(sessionId, request.task === 'suggest' ? 'discarded' : 'edited');
  const controller = new AbortController();
  running.set(sessionId, controller);
  const basedOnMessageId = loadedMessages(sessionId)[0]?.id ?? null;
  const begun = { request, typed, fill, basedOnMessageId, text: '', answer: null, error: null };
  put(sessionId, { ...begun, state: 'making' });
  const isCurrent = () => running.get(sessionId) === controller;
  try {
    const answer = await askCopilot(sessionId, request, controller.signal, (text) => {
      if (isCurrent()) patch(sessionId, { text });
    });
    if (!isCurrent()) return;
    const basis = answer.basedOnMessageId ?? basedOnMessageId;
    patch(sessionId, { state: 'marked', text: fill(answer.text), answer, basedOnMessageId: basis });
  } catch (error) {
    if (isCurrent()) patch(sessionId, { state: 'failed', text: '', error });
  } finally {
    if (isCurrent()) running.delete(sessionId);
  }
}

/** It goes away: undone, stopped, sent, or out of date. A part of one was not checked by the service and is not kept. */
export function endSuggestion(sessionId: string, outcome: CopilotOutcome['outcome']): void {
  const known = suggestions.get(sessionId);
  if (!known) return;
  running.get(sessionId)?.abort();
  running.delete(sessionId);
  put(sessionId, null);
  if (known.answer?.suggestionId) void reportOutcome(sessionId, known.answer.suggestionId, outcome);
}

/** The person writes: what the composer holds from now on is theirs. */
export function editSuggestion(sessionId: string, text: string): void {
  const known = suggestions.get(sessionId);
  if (!known) return;
  if (known.state === 'failed' || text.trim() === '') endSuggestion(sessionId, 'discarded');
  else if (known.state === 'marked') patch(sessionId, { state: 'edited' });
}

export function sentWithSuggestion(sessionId: string, text: string): void {
  const known = suggestions.get(sessionId);
  if (known) endSuggestion(sessionId, known.text.trim() === text.trim() ? 'accepted' : 'edited');
}

// What one person was offered is not for the next.
onSession(() => {
  if (sessionState().kind !== 'signedOut' || suggestions.size === 0) return;
  for (const controller of running.values()) controller.abort();
  running.clear();
  suggestions.clear();
});
