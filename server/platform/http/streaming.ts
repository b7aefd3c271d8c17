/**
 * For a request whose body is read while its answer is already being written. Both sides keep their pace: nothing
 * is read before what came is done with, and what the client does not fetch waits in bounded memory. A side that
 * stands still for too long ends the request.
 */
import { Readable } from 'node:stream';
import { AppError } from './errors.ts';

/** The client has left, or does not take its answer. There is nobody to tell. */
export class ClientGone extends Error {}

const standstillMs = 60_000;
/** After the answer is complete, the rest of the body is thrown away for this long before the connection is cut. */
const drainMs = 60_000;

export class BodyReader {
  readonly #body: Readable;
  readonly #standstillMs: number;
  #draining = false;
  #interruption: AppError | null = null;
  #wake = () => {};

  constructor(body: Readable, options: { standstillMs?: number } = {}) {
    this.#body = body;
    this.#standstillMs = options.standstillMs ?? standstillMs;
    const notice = () => {
      if (this.#draining) this.#discard();
      this.#wake();
    };
    for (const event of ['readable', 'end', 'close', 'error']) body.on(event, notice);
  }

  async *chunks(): AsyncGenerator<Buffer> {
    for (;;) {
      this.throwIfInterrupted();
      // All that has come since, in one piece: the slower we are, the larger the next batch.
      const chunk = this.#body.read() as Buffer | null;
      if (chunk !== null) yield chunk;
      else if (this.#body.readableEnded) return;
      else if (this.#body.destroyed) throw new ClientGone('the client left before its body was complete');
      else await this.#more();
    }
  }

  /** Ends the reading at the next chunk: for a service that is stopping. */
  interrupt(reason: AppError): void {
    this.#interruption = reason;
    this.#wake();
  }

  throwIfInterrupted(): void {
    if (this.#interruption) throw this.#interruption;
  }

  /**
   * Lets the rest of the body come and go. Cutting the connection instead would make a client that still sends
   * miss the answer; one that never ends is cut all the same.
   */
  drain(): void {
    this.#draining = true;
    this.#discard();
    if (this.#body.readableEnded || this.#body.destroyed) return;
    const cut = setTimeout(() => this.#body.destroy(), drainMs);
    cut.unref();
    this.#body.once('close', () => clearTimeout(cut)).once('end', () => clearTimeout(cut));
  }

  #discard(): void {
    while (this.#body.read() !== null);
  }

  async #more(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = await new Promise<boolean>((resolve) => {
      this.#wake = () => resolve(false);
      timer = setTimeout(() => resolve(true), this.#standstillMs);
    });
    clearTimeout(timer);
    if (late) {
      throw new AppError(408, 'VALIDATION_FAILED', `nothing came for ${this.#standstillMs / 1000} seconds`);
    }
  }
}

/** What all answers of this process together may keep for clients that do not fetch it yet. */
export interface Backlog {
  maxBytes: number;
  answers: Set<AnswerStream>;
}

export function createBacklog(maxBytes: number): Backlog {
  return { maxBytes, answers: new Set() };
}

/**
 * An answer that is written piece by piece. Many clients (browsers, simple libraries) fetch nothing of it before
 * their whole body is sent: making them wait at once would be a deadlock, hence the backlog.
 */
export class AnswerStream extends Readable {
  readonly #backlog: Backlog;
  readonly #standstillMs: number;
  #wake = () => {};

  constructor(backlog: Backlog, options: { standstillMs?: number } = {}) {
    super();
    this.#backlog = backlog;
    this.#standstillMs = options.standstillMs ?? standstillMs;
    backlog.answers.add(this);
    this.once('close', () => {
      backlog.answers.delete(this);
      this.#wake();
    });
  }

  override _read(): void {
    this.#wake();
  }

  async write(text: string): Promise<void> {
    if (this.destroyed) throw new ClientGone('the client left before its answer was complete');
    this.push(Buffer.from(text));
    while (this.readableLength > this.#allowance()) await this.#fetched();
  }

  end(): void {
    this.push(null);
  }

  #allowance(): number {
    let others = 0;
    for (const answer of this.#backlog.answers) if (answer !== this) others += answer.readableLength;
    return Math.max(this.readableHighWaterMark, this.#backlog.maxBytes - others);
  }

  async #fetched(): Promise<void> {
    const before = this.readableLength;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
      timer = setTimeout(resolve, this.#standstillMs);
    });
    clearTimeout(timer);
    if (!this.destroyed && this.readableLength < before) return;
    this.destroy();
    throw new ClientGone('the client does not take its answer');
  }
}
