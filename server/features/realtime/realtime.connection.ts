/**
 * One user's WebSocket. It first catches up: missed changes are read from the log, while new ones wait; then it is
 * live. A frame is sent only if its number is above the last one considered, so that a change in both is sent once.
 */
import type { WebSocket } from 'ws';
import {
  type ClientFrame,
  type LiveNotices,
  liveCloseCodes,
  liveLimits,
  type ServerFrame,
} from '../../../contract/realtime.ts';
import type { Db } from '../../platform/db/db.ts';
import { newId } from '../../platform/ids.ts';
import { may, permissionsOf, type UserActor } from '../accounts/accounts.ts';
import { type Definitions, visibleTo } from '../kanbans/kanbans.ts';
import { type LiveEvent, loadEvents } from './realtime.events.ts';
import { readClientFrame } from './realtime.frames.ts';
import type { Subscriber } from './realtime.hub.ts';
import { selectChangesAfter, selectHead } from './realtime.log.sql.ts';
import type { Signal } from './realtime.wake.ts';

export interface ConnectionDeps {
  db: Db;
  /** From then on the connection receives changes. */
  subscribe(connection: LiveConnection): Promise<void>;
  onSent(): void;
  /** It has caught up. */
  onLive(connection: LiveConnection): void;
  onClosed(connection: LiveConnection, reason: CloseReason): void;
  onFrame(connection: LiveConnection, frame: ClientFrame): void;
  onError(error: unknown): void;
}

export type CloseReason =
  | 'client'
  | 'slow'
  | 'flood'
  | 'bad_message'
  | 'revoked'
  | 'silent'
  | 'stopping'
  | 'error';

const firstFrameWithinMs = 2_000;
const catchUpBatch = 200;
const maxWaiting = 1_000;
const drainWithinMs = 10_000;
/** So that a client that resumes reading still learns why. */
const closeWithinMs = 2_000;

export class LiveConnection implements Subscriber {
  readonly id = newId();
  readonly actor: UserActor;
  readonly accountId: string;
  readonly needsDefinitions: boolean;
  visible: ReadonlySet<string> | null;
  readonly sees: { records: boolean; conversations: boolean; knowledge: boolean };
  /** What the user looks at; maintained by the presence. */
  viewing: { sessionId: string | null; recordId: string | null; kanbanId: string } | null = null;
  readonly #socket: WebSocket;
  readonly #deps: ConnectionDeps;
  readonly #firstFrame: NodeJS.Timeout;
  #state: 'new' | 'catching-up' | 'live' | 'closed' = 'new';
  #ready = Promise.resolve();
  #epoch = '';
  /** The last change that was considered, and the last whose number the client has. */
  #seen = 0;
  #sent = 0;
  #waiting: LiveEvent[] = [];
  #overflowed = false;
  #reason: CloseReason = 'client';
  #frames = 0;
  #framesSince = 0;
  #answered = true;

  constructor(socket: WebSocket, actor: UserActor, deps: ConnectionDeps) {
    this.#socket = socket;
    this.actor = actor;
    this.accountId = actor.accountId;
    this.needsDefinitions = actor.role === 'operator';
    this.visible = this.needsDefinitions ? new Set() : null;
    this.sees = {
      records: may(actor, 'records.view'),
      conversations: may(actor, 'conversations.view'),
      knowledge: may(actor, 'knowledge.view'),
    };
    this.#deps = deps;
    this.#firstFrame = setTimeout(() => {
      this.#ready = this.#begin(null);
    }, firstFrameWithinMs);
    socket.on('message', (data, isBinary) => this.#receive(data as Buffer, isBinary));
    socket.on('pong', () => {
      this.#answered = true;
    });
    socket.on('close', () => this.#closed());
    socket.on('error', (error) => {
      // ws ends the connection itself: a frame that is too large, or not a WebSocket frame.
      if ((error as { code?: string }).code?.startsWith('WS_ERR_')) this.#reason = 'bad_message';
    });
  }

  define(definitions: Definitions): void {
    const visible = visibleTo(this.actor, definitions);
    this.visible = visible && new Set(visible);
  }

  deliver(event: LiveEvent): void {
    if (this.#state === 'live') {
      this.#send(event);
      return;
    }
    if (this.#state === 'closed' || this.#overflowed) return;
    if (this.#waiting.length < maxWaiting) this.#waiting.push(event);
    else {
      // It will be read from the log instead.
      this.#overflowed = true;
      this.#waiting = [];
    }
  }

  signal({ type, data, kanbanId, from }: Signal): void {
    if (this.#state !== 'live' || from === this.id) return;
    if (this.visible && !this.visible.has(kanbanId)) return;
    if (!(data.sessionId === null ? this.sees.records : this.sees.conversations)) return;
    this.#write(JSON.stringify({ seq: null, type, data }));
  }

  reload(epoch: string): void {
    // Part of the missed changes is gone; the next resume reports it.
    if (this.#state === 'catching-up') {
      this.close('error', 1011);
      return;
    }
    this.#epoch = epoch;
    this.#seen = 0;
    this.#sent = 0;
    if (this.#state === 'live') this.#sendNotice('reload', { epoch });
  }

  /** Two pings without a pong: the client is gone, but its connection has not noticed. */
  beat(): void {
    if (this.#state === 'closed') return;
    if (!this.#answered) {
      this.close('silent', 1001);
      return;
    }
    this.#answered = false;
    this.#socket.ping();
    if (this.#state === 'live') this.#sendNotice('heartbeat', { epoch: this.#epoch });
  }

  close(reason: CloseReason, code: number): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#reason = reason;
    this.#socket.close(code, reason);
    setTimeout(() => this.#socket.terminate(), closeWithinMs).unref();
    // Nothing more is sent, so nothing more waits in memory for a client that may never read.
    this.#waiting = [];
    this.#deps.onClosed(this, reason);
  }

  #closed(): void {
    clearTimeout(this.#firstFrame);
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#deps.onClosed(this, this.#reason);
  }

  #receive(data: Buffer, isBinary: boolean): void {
    if (this.#state === 'closed') return;
    if (this.#isFlooding()) {
      this.close('flood', liveCloseCodes.flood);
      return;
    }
    if (isBinary) {
      this.close('bad_message', 1003);
      return;
    }
    const frame = readClientFrame(data.toString('utf8'));
    const isFirst = this.#state === 'new';
    if (!frame || (frame.type === 'resume' && !isFirst)) {
      this.close('bad_message', liveCloseCodes.badMessage);
      return;
    }
    if (isFirst) this.#ready = this.#begin(frame.type === 'resume' ? frame : null);
    if (frame.type === 'resume') return;
    // Not before it is known what this user may see.
    void this.#ready.then(() => {
      if (this.#state !== 'live') return;
      if (frame.type === 'ping') this.#sendNotice('pong', { epoch: this.#epoch });
      else this.#deps.onFrame(this, frame);
    });
  }

  #isFlooding(): boolean {
    const now = performance.now();
    if (now - this.#framesSince >= 1_000) {
      this.#framesSince = now;
      this.#frames = 0;
    }
    return ++this.#frames > liveLimits.framesPerSecond;
  }

  async #begin(resume: { seq: number; epoch: string } | null): Promise<void> {
    if (this.#state !== 'new') return;
    clearTimeout(this.#firstFrame);
    this.#state = 'catching-up';
    try {
      await this.#deps.subscribe(this);
      await this.#catchUp(resume);
    } catch (error) {
      this.#deps.onError(error);
      this.close('error', 1011);
    }
  }

  async #catchUp(resume: { seq: number; epoch: string } | null): Promise<void> {
    const { db } = this.#deps;
    const head = await selectHead(db, this.accountId);
    if (!head) throw new Error('live updates have not begun');
    this.#epoch = head.epoch;
    const { id, name } = this.actor;
    const missed = resume && resume.epoch === head.epoch ? head.seq - resume.seq : -1;
    let changes =
      missed > 0 && missed <= liveLimits.missedEvents
        ? await selectChangesAfter(db, this.accountId, resume!.seq, catchUpBatch)
        : [];
    // Numbers have no gaps: if the next one is missing, it has been removed.
    const resumed = missed === 0 || (changes.length > 0 && changes[0]!.seq === resume!.seq + 1);
    this.#seen = resumed ? resume!.seq : head.seq;
    this.#sent = this.#seen;
    const permissions = [...permissionsOf(this.actor)];
    this.#sendNotice('hello', { epoch: this.#epoch, resumed, user: { id, name }, permissions });
    if (resume && !resumed) this.#sendNotice('reload', { epoch: this.#epoch });
    for (;;) {
      for (const event of await loadEvents(db, changes)) this.#send(event);
      this.#seen = Math.max(this.#seen, changes[changes.length - 1]?.seq ?? 0);
      if (!(await this.#drained())) return;
      const isMore = changes.length === catchUpBatch || this.#overflowed;
      if (!isMore) break;
      this.#overflowed = false;
      changes = await selectChangesAfter(db, this.accountId, this.#seen, catchUpBatch);
    }
    const waiting = this.#waiting;
    this.#waiting = [];
    if ((this.#state as string) === 'closed') return;
    this.#state = 'live';
    for (const event of waiting) this.#send(event);
    this.#deps.onLive(this);
  }

  /** While it catches up, a client gets as much as it reads. */
  async #drained(): Promise<boolean> {
    const deadline = performance.now() + drainWithinMs;
    while (this.#state !== 'closed' && this.#socket.bufferedAmount > liveLimits.bufferedBytes / 2) {
      if (performance.now() > deadline) this.close('slow', liveCloseCodes.slow);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return this.#state !== 'closed';
  }

  #send(event: LiveEvent): void {
    if (event.seq <= this.#seen || this.#state === 'closed') return;
    this.#seen = event.seq;
    const frame = event.frameFor(
      { userId: this.actor.id, visible: this.visible, sees: this.sees },
      this.#sent,
    );
    if (!frame) return;
    this.#sent = event.seq;
    this.#write(frame);
  }

  #sendNotice<T extends keyof LiveNotices>(type: T, data: LiveNotices[T]): void {
    this.#sent = this.#seen;
    this.#write(JSON.stringify({ seq: this.#seen, type, data } as ServerFrame));
  }

  #write(frame: Buffer | string): void {
    if (this.#state === 'closed') return;
    // Checked while live; while it catches up, #drained waits instead.
    if (this.#state === 'live' && this.#socket.bufferedAmount > liveLimits.bufferedBytes) {
      this.close('slow', liveCloseCodes.slow);
      return;
    }
    this.#socket.send(frame, { binary: false });
    this.#deps.onSent();
  }
}
