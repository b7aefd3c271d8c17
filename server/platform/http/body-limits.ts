/**
 * Bounds the memory of bodies that are still arriving: how many bytes they may have in a process and from one address,
 * and how slowly they may arrive. Bodies that arrive quickly are complete before they are looked at, so the oldest
 * unfinished one is given up first.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addressToCount } from './client-address.ts';
import { AppError, busy } from './errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller has shown who it is before its body is read. */
    isKnown: boolean;
  }
}

export interface BodyLimits {
  /** Of all callers that are not known. */
  anonymousBytes: number;
  /** Of callers that are not known, from one address. */
  addressBytes: number;
  knownBytes: number;
  /** A body may pause for so long in all. */
  graceMs: number;
  bytesPerSecond: number;
}

const megabyte = 1024 * 1024;
const defaultLimits: BodyLimits = {
  anonymousBytes: 32 * megabyte,
  addressBytes: 8 * megabyte,
  knownBytes: 256 * megabyte,
  graceMs: 10_000,
  bytesPerSecond: 1024,
};

const sweepMs = 50;
/** The first piece arrives with the headers and is not counted by the socket: this much of a body counts at once. */
const firstPieceBytes = 64 * 1024;

interface Reading {
  reply: FastifyReply;
  since: number;
  bytesBefore: number;
  announced: number;
}

/** Shared by the apps of a process. */
export class BodyReadings {
  readonly #limits: BodyLimits;
  readonly #now: () => number;
  /** Oldest first. */
  readonly #readings = new Map<FastifyRequest, Reading>();
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: Partial<BodyLimits> = {}, now = () => performance.now()) {
    this.#limits = { ...defaultLimits, ...limits };
    this.#now = now;
  }

  get size(): number {
    return this.#readings.size;
  }

  begin(request: FastifyRequest, reply: FastifyReply): void {
    const length = request.headers['content-length'];
    this.#readings.set(request, {
      reply,
      since: this.#now(),
      bytesBefore: request.raw.socket.bytesRead ?? 0,
      announced: length === undefined ? firstPieceBytes : Number(length),
    });
    this.#timer ??= setInterval(() => this.#sweep(), sweepMs).unref();
  }

  end(request: FastifyRequest): void {
    this.#readings.delete(request);
  }

  #sweep(): void {
    if (this.#readings.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    const { graceMs, bytesPerSecond, ...most } = this.#limits;
    const now = this.#now();
    let anonymous = 0;
    let known = 0;
    const byAddress = new Map<string, number>();
    // Newest first, so that what is beyond a limit are the oldest.
    for (const [request, { reply, since, bytesBefore, announced }] of [...this.#readings].reverse()) {
      // The client has gone, or got its answer without its body being read.
      if (request.raw.destroyed || reply.raw.writableEnded) {
        this.end(request);
        continue;
      }
      const received = (request.raw.socket.bytesRead ?? 0) - bytesBefore;
      const counted = Math.max(received, Math.min(announced, firstPieceBytes));
      if (received < ((now - since - graceMs) * bytesPerSecond) / 1_000) {
        this.#giveUp(request, tooSlow());
      } else if (request.isKnown) {
        // A single body is never too large for all of them: its route limits it.
        if (known > 0 && known + counted > most.knownBytes) this.#giveUp(request, busy());
        else known += counted;
      } else {
        const address = addressToCount(request.clientAddress);
        const ofAddress = (byAddress.get(address) ?? 0) + counted;
        if (anonymous + counted > most.anonymousBytes || ofAddress > most.addressBytes) {
          this.#giveUp(request, busy());
        } else {
          anonymous += counted;
          byAddress.set(address, ofAddress);
        }
      }
    }
  }

  /** The parser that reads the body gets the error, and the connection closes after the response. */
  #giveUp(request: FastifyRequest, error: AppError): void {
    this.end(request);
    if (request.raw.listenerCount('error') > 0) request.raw.emit('error', error);
    else request.raw.destroy();
  }
}

const tooSlow = () => new AppError(408, 'VALIDATION_FAILED', 'the body arrives too slowly');

const ofProcess = new BodyReadings();

export function installBodyLimits(app: FastifyInstance, readings = ofProcess): void {
  app.decorateRequest('isKnown', false);
  app.addHook('preParsing', (request, reply, _payload, done) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    const hasBody = encoding !== undefined || (length !== undefined && length !== '0');
    // Most bodies have arrived by now, with their headers or while the caller was looked up.
    if (hasBody && !request.raw.complete) readings.begin(request, reply);
    done();
  });
  app.addHook('preValidation', (request, _reply, done) => {
    readings.end(request);
    done();
  });
}
