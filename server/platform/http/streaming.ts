/**
 * For a request whose body is read while its response is already being written. Both sides apply backpressure:
 * nothing more is read before the last chunk is processed, and unread output waits in bounded memory. A side that
 * stalls for too long ends the request.
 */
import { Readable } from 'node:stream';
import { AppError } from './errors.ts';

/** The client has disconnected, or does not read its response. There is no one to notify. */
export class ClientGone extends Error {}

const standstillMs = 60_000;
/**
 * After the response is complete, the rest of the body is discarded for this long before the connection is closed.
 */
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
      // Everything received since, as one chunk: the slower we are, the larger the next batch.
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
   * Discards the rest of the body. Closing the connection instead would make a client that still sends miss the
   * response; one that never ends is closed anyway.
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

/** How much all responses of this process together may buffer for slow clients. */
export interface Backlog {
  maxBytes: number;
  answers: Set<AnswerStream>;
}

export function createBacklog(maxBytes: number): Backlog {
  return { maxBytes, answers: new Set() };
}

/**
 * A response that is written in pieces. Many clients (browsers, simple libraries) read nothing before their whole
 * body is sent: immediate backpressure would be a deadlock, hence the backlog.
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
