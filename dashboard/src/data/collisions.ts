/** Who else reads or writes in which conversation: for the open one and for every row of the list. */
import { useSyncExternalStore } from 'react';
import type { LivePerson } from '../../../contract/realtime.ts';
import { onLive } from './live.ts';
import { sessionState } from './session.ts';
import { viewers } from './viewers.ts';

export interface Collision {
  /** Writing a reply or a note. */
  writing: readonly LivePerson[];
  /** Looking at it, without those who write. */
  reading: readonly LivePerson[];
  isCustomerTyping: boolean;
}

const forgottenMs = 6_000;
const customer = 'customer';
const nobody: Collision = { writing: [], reading: [], isCustomerTyping: false };

/** By conversation and person; each is forgotten unless it is repeated. */
const writers = new Map<string, Map<string, { name: string; timer: ReturnType<typeof setTimeout> }>>();
/** Replaced when it changes, so that a row renders only then. */
const shown = new Map<string, Collision>();
const listeners = new Set<() => void>();

function update(sessionId: string): void {
  const state = sessionState();
  const me = state.kind === 'signedIn' ? state.signedIn.user.id : '';
  const typing = writers.get(sessionId);
  const writing = [...(typing ?? [])]
    .filter(([id]) => id !== customer && id !== me)
    .map(([id, { name }]) => ({ id, name }));
  const reading = (viewers.get(sessionId) ?? []).filter(
    ({ id }) => id !== me && !writing.some((one) => one.id === id),
  );
  const isCustomerTyping = typing?.has(customer) === true;
  if (writing.length + reading.length === 0 && !isCustomerTyping) shown.delete(sessionId);
  else shown.set(sessionId, { writing, reading, isCustomerTyping });
  for (const listener of listeners) listener();
}

function forget(sessionId: string, id: string): void {
  const typing = writers.get(sessionId);
  clearTimeout(typing?.get(id)?.timer);
  typing?.delete(id);
  if (typing?.size === 0) writers.delete(sessionId);
}

onLive('presence', ({ sessionId, people }) => {
  if (sessionId === null) return;
  // A user who left has stopped writing too.
  for (const id of writers.get(sessionId)?.keys() ?? []) {
    if (id !== customer && !people.some((one) => one.id === id)) forget(sessionId, id);
  }
  update(sessionId);
});

onLive('typing', ({ sessionId, person, isTyping }) => {
  const id = person?.id ?? customer;
  forget(sessionId, id);
  if (isTyping) {
    const typing = writers.get(sessionId) ?? new Map();
    writers.set(sessionId, typing);
    const timer = setTimeout(() => {
      forget(sessionId, id);
      update(sessionId);
    }, forgottenMs);
    typing.set(id, { name: person?.name ?? '', timer });
  }
  update(sessionId);
});

// After viewers.ts, whose listeners were added before.
onLive('hello', () => {
  for (const sessionId of [...shown.keys()]) update(sessionId);
});
for (const sessionId of viewers.keys()) update(sessionId);

const listen = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

export const useCollision = (sessionId: string): Collision =>
  useSyncExternalStore(listen, () => shown.get(sessionId) ?? nobody);
