/**
 * One widget's WebSocket. The token is in the first frame, not in the address: addresses end up in logs. Changes
 * during the first read of messages wait and follow it, so that nothing is missed.
 */
import type { WebSocket } from 'ws';
import {
  type VisitorClientFrame,
  type VisitorServerFrame,
  visitorTokenPrefix,
  widgetCloseCodes,
  widgetLimits,
} from '../../../contract/widget/widget-protocol.ts';
import type { Listener } from './widget-api.live.ts';
import type { Visitor } from './widget-api.visitor.ts';

export type CloseReason =
  | 'client'
  | 'token'
  | 'connections'
  | 'bad_message'
  | 'flood'
  | 'slow'
  | 'silent'
  | 'stopping'
  | 'error';

type Hello = Extract<VisitorClientFrame, { type: 'hello' }>;

export interface ConnectionDeps {
  admit(token: string): Promise<Visitor | 'token' | 'connections'>;
  /** From its first step on the listener receives changes. */
  begin(listener: Listener, visitor: Visitor, hello: Hello): Promise<VisitorServerFrame>;
  onTyping(visitor: Visitor, isTyping: boolean): void;
  onClosed(connection: VisitorConnection, reason: CloseReason): void;
  onError(error: unknown): void;
}

/** A client that does not answer the close frame is disconnected after this. */
export const closeWithinMs = 2_000;

export class VisitorConnection implements Listener {
  visitor: Visitor | null = null;
  readonly #socket: WebSocket;
  readonly #deps: ConnectionDeps;
  readonly #firstFrame: NodeJS.Timeout;
  #state: 'new' | 'beginning' | 'live' | 'closed' = 'new';
  #waiting: VisitorServerFrame[] = [];
  #frames = 0;
  #framesSince = 0;
  #answered = true;

  constructor(socket: WebSocket, deps: ConnectionDeps) {
    this.#socket = socket;
    this.#deps = deps;
    this.#firstFrame = setTimeout(
      () => this.close('silent', widgetCloseCodes.badMessage),
      widgetLimits.helloWithinMs,
    );
    socket.on('message', (data, isBinary) => this.#receive(String(data), isBinary));
    socket.on('pong', () => {
      this.#answered = true;
    });
    socket.on('close', () => this.#ended('client'));
    socket.on('error', () => {});
  }

  get accountId(): string {
    return this.visitor!.accountId;
  }

  get sessionId(): string {
    return this.visitor!.sessionId;
  }

  tell(frame: VisitorServerFrame): void {
    if (this.#state === 'live') this.#send(frame);
    else if (this.#state === 'beginning') this.#waiting.push(frame);
  }

  restart(): void {
    this.close('error', 1012);
  }

  /** Two pings without a pong: the visitor is gone, but the connection has not noticed. */
  beat(): void {
    if (!this.#answered) {
      this.close('silent', 1001);
      return;
    }
    this.#answered = false;
    this.#socket.ping();
    this.tell({ type: 'heartbeat' });
  }

  close(reason: CloseReason, code: number): void {
    if (this.#state === 'closed') return;
    this.#socket.close(code, reason);
    setTimeout(() => this.#socket.terminate(), closeWithinMs).unref();
    this.#ended(reason);
  }

  #ended(reason: CloseReason): void {
    clearTimeout(this.#firstFrame);
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#waiting = [];
    this.#deps.onClosed(this, reason);
  }

  #receive(text: string, isBinary: boolean): void {
    if (this.#state === 'closed') return;
    if (this.#isFlooding()) {
      this.close('flood', widgetCloseCodes.flood);
      return;
    }
    const frame = isBinary ? null : readFrame(text);
    if (!frame || (frame.type === 'hello') !== (this.#state === 'new')) {
      this.close('bad_message', widgetCloseCodes.badMessage);
      return;
    }
    if (frame.type === 'hello') {
      clearTimeout(this.#firstFrame);
      this.#begin(frame).catch((error) => {
        this.#deps.onError(error);
        this.close('error', 1011);
      });
    } else if (this.#state === 'live') this.#deps.onTyping(this.visitor!, frame.isTyping);
  }

  async #begin(hello: Hello): Promise<void> {
    this.#state = 'beginning';
    const visitor = await this.#deps.admit(hello.token);
    if (typeof visitor === 'string') {
      const { refused, tooMany } = widgetCloseCodes;
      this.close(visitor, visitor === 'token' ? refused : tooMany);
      return;
    }
    this.visitor = visitor;
    const first = await this.#deps.begin(this, visitor, hello);
    if ((this.#state as string) === 'closed') {
      // It left while it was being admitted.
      this.#deps.onClosed(this, 'client');
      return;
    }
    this.#state = 'live';
    this.#send(first);
    for (const frame of this.#waiting.splice(0)) this.#send(frame);
  }

  #isFlooding(): boolean {
    const now = performance.now();
    if (now - this.#framesSince >= 1_000) {
      this.#framesSince = now;
      this.#frames = 0;
    }
    return ++this.#frames > widgetLimits.framesPerSecond;
  }

  #send(frame: VisitorServerFrame): void {
    if (this.#state === 'closed') return;
    if (this.#socket.bufferedAmount > widgetLimits.bufferedBytes) {
      this.close('slow', widgetCloseCodes.slow);
      return;
    }
    this.#socket.send(JSON.stringify(frame));
  }
}

/** Null: not part of the protocol. Two small shapes, checked by hand. */
function readFrame(text: string): VisitorClientFrame | null {
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof frame !== 'object' || frame === null) return null;
  const { type, token, position, since, isTyping } = frame as { [name: string]: unknown };
  if (type === 'typing') return typeof isTyping === 'boolean' ? { type, isTyping } : null;
  const isHello =
    type === 'hello' &&
    typeof token === 'string' &&
    token.startsWith(visitorTokenPrefix) &&
    isCount(position);
  return isHello && isCount(since) ? { type, token, position, since } : null;
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
