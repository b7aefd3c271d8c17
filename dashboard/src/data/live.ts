/**
 * The live connection (docs/realtime.md): one WebSocket per page, resumed after a loss. When the service can no longer
 * send what was missed, everything is fetched again.
 */
import { useEffect, useSyncExternalStore } from 'react';
import type { Static } from 'typebox';
import type {
  ClientFrame,
  LiveChanges,
  LiveNotices,
  LiveSignals,
  ServerFrame,
  TicketAnswer,
} from '../../../contract/realtime.ts';
import type { Permission } from '../../../contract/roles/permissions.ts';
import { api } from './api.ts';
import { ApiError } from './errors.ts';
import { onSession, readRightsAgain, sessionState } from './session.ts';

type LiveMessages = LiveChanges & LiveSignals & Pick<LiveNotices, 'reload' | 'hello'>;
export type LiveStatus = 'off' | 'connecting' | 'open' | 'lost';

const handlers = new Map<string, Set<(data: never) => void>>();
const statusListeners = new Set<() => void>();
let status: LiveStatus = 'off';
let socket: WebSocket | null = null;
let seen: { seq: number; epoch: string } | null = null;
let viewing: Extract<ClientFrame, { type: 'viewing' }> = { type: 'viewing' };
let attempts = 0;
/** Changes that have arrived so far. */
let changes = 0;
let rightsTimer: ReturnType<typeof setTimeout> | undefined;
const retryRightsMs = 5_000;
let timer: ReturnType<typeof setTimeout> | undefined;

function setStatus(next: LiveStatus) {
  if (status === next) return;
  status = next;
  for (const listener of statusListeners) listener();
}

export const countChanges = () => changes;

export function onLive<T extends keyof LiveMessages>(
  type: T,
  handler: (data: LiveMessages[T]) => void,
): () => void {
  const set = handlers.get(type) ?? new Set();
  handlers.set(type, set);
  set.add(handler as (data: never) => void);
  return () => void set.delete(handler as (data: never) => void);
}

/** `handler` should be stable (useCallback), or every render subscribes again. */
export function useLive<T extends keyof LiveMessages>(
  type: T,
  handler: (data: LiveMessages[T]) => void,
): void {
  useEffect(() => onLive(type, handler), [type, handler]);
}

export const useLiveStatus = () =>
  useSyncExternalStore(
    (listener) => {
      statusListeners.add(listener);
      return () => statusListeners.delete(listener);
    },
    () => status,
  );

/** False: not connected. Frames such as typing are not queued, because they are useless later. */
export function sendLive(frame: ClientFrame): boolean {
  if (socket?.readyState !== WebSocket.OPEN) return false;
  socket.send(JSON.stringify(frame));
  return true;
}

/** What this person is looking at. Sent again after a reconnect and cleared while the page is hidden. */
export function setViewing(what: { sessionId?: string | null; recordId?: string | null }): void {
  viewing = { type: 'viewing', ...what };
  if (document.visibilityState === 'visible') sendLive(viewing);
}

function emit(type: string, data: unknown) {
  for (const handler of handlers.get(type) ?? []) (handler as (data: unknown) => void)(data);
}

function receive(frame: ServerFrame) {
  if (frame.type === 'typing' || frame.type === 'presence') return emit(frame.type, frame.data);
  if ('prev' in frame) {
    // A gap in the sequence: close the connection and let the next one resume.
    if (seen && frame.prev !== seen.seq) return socket?.close(4000, 'gap');
    if (seen) seen = { ...seen, seq: frame.seq };
    changes++;
    return emit(frame.type, frame.data);
  }
  seen = { seq: frame.seq, epoch: frame.data.epoch };
  if (frame.type === 'hello') {
    attempts = 0;
    setStatus('open');
    void followRights(frame.data.permissions);
    if (document.visibilityState === 'visible') sendLive(viewing);
  }
  emit(frame.type, frame.data);
}

async function connect(): Promise<void> {
  clearTimeout(timer);
  const session = sessionState();
  if (socket || session.kind !== 'signedIn' || session.signedIn.mustSetUpFactor) return;
  if (status === 'off') setStatus('connecting');
  let opened: WebSocket;
  try {
    const { ticket, seq, epoch } = await api<Static<typeof TicketAnswer>>('POST', '/ws/tickets');
    if (socket) return;
    // What the page reads meanwhile may be older than the connection.
    seen ??= { seq, epoch };
    const address = new URL(`/ws?ticket=${encodeURIComponent(ticket)}`, location.href);
    address.protocol = address.protocol.replace('http', 'ws');
    opened = new WebSocket(address);
  } catch (error) {
    // WebSockets are not available, for example behind a proxy: the page works without them.
    if (error instanceof ApiError && error.status === 404) return setStatus('off');
    return scheduleReconnect();
  }
  socket = opened;
  opened.onopen = () => opened.send(JSON.stringify({ type: 'resume', ...seen }));
  opened.onmessage = (event) => receive(JSON.parse(event.data));
  opened.onclose = () => {
    if (socket !== opened) return;
    socket = null;
    scheduleReconnect();
  };
}

/** A change of rights ends the connection, and the next one says those of now: the session must have the same. */
async function followRights(permissions: readonly Permission[]): Promise<void> {
  clearTimeout(rightsTimer);
  const session = sessionState();
  if (session.kind !== 'signedIn') return;
  const known = new Set(session.signedIn.user.permissions);
  if (known.size === permissions.length && permissions.every((one) => known.has(one))) return;
  try {
    await readRightsAgain();
  } catch {
    rightsTimer = setTimeout(() => void followRights(permissions), retryRightsMs);
  }
}

function scheduleReconnect() {
  if (sessionState().kind !== 'signedIn') return setStatus('off');
  setStatus('lost');
  const waitMs = Math.min(15_000, 300 * 2 ** attempts++) * (0.5 + Math.random());
  clearTimeout(timer);
  timer = setTimeout(connect, waitMs);
}

export function startLive(): void {
  onSession(() => {
    if (sessionState().kind === 'signedIn') return void connect();
    clearTimeout(timer);
    clearTimeout(rightsTimer);
    seen = null;
    const open = socket;
    socket = null;
    open?.close();
    setStatus('off');
  });
  const reconnectNow = () => {
    attempts = 0;
    void connect();
  };
  addEventListener('online', reconnectNow);
  addEventListener('offline', () => socket?.close());
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') {
      if (socket) sendLive(viewing);
      else reconnectNow();
    } else sendLive({ type: 'viewing' });
  });
  void connect();
}
