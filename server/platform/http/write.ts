/**
 * Every POST, PUT, PATCH and DELETE that changes something goes through here. The rule runs in one transaction that
 * also holds the idempotency key and the response: a crash leaves both or neither, and a second request with the same
 * key waits for the first commit on the key's unique index, then repeats its response. Requests rejected before their
 * rule runs (an invalid body) pass here on their way out.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Db, Tx } from '../db/db.ts';
import { type Submission, submit } from '../db/shared/batched-writes.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { answerOf, type StoreRejection } from './error-handler.ts';
import { AppError, badRequest } from './errors.ts';
import { sendJson } from './http.ts';
import { type Caller, createIdempotencyKeys, type IdempotencyKeys, type KeyClaim } from './idempotency.ts';

export interface Answer<Body = unknown> {
  status: number;
  body: Body;
}

/** A dry run is rolled back. A rule needs to know only if some of its events follow after the commit. */
type Rule<Body> = (tx: Tx, run: { isDryRun: boolean }) => Promise<Answer<Body>>;

export type Write = <Body>(
  request: FastifyRequest,
  reply: FastifyReply,
  /** Or a submission, which shares its write with others if it has neither a key nor is a dry run. */
  rule: Rule<Body> | Submission<Answer<Body>>,
) => Promise<Body>;

/** A submission whose result becomes a response. */
export function answered<Result, Body>(
  { alone, shared }: Submission<Result>,
  answer: (result: Result) => Answer<Body>,
): Submission<Answer<Body>> {
  return {
    alone: async (tx) => answer(await alone(tx)),
    async shared() {
      const result = await shared();
      return result === null ? null : answer(result);
    },
  };
}

export interface WriteDeps {
  db: Db;
  secrets: Secrets;
  /** The caller, null while unknown; the platform itself knows no accounts. */
  callerOf: (request: FastifyRequest) => Caller | null;
  /** What a dry run answers about the events with these ids, which the transaction has written. */
  forecast: (tx: Tx, accountId: string, eventIds: readonly string[]) => Promise<object[]>;
}

export interface Writes {
  write: Write;
  storeRejection: StoreRejection;
}

export function createWrites({ db, secrets, callerOf, forecast }: WriteDeps): Writes {
  const keys = createIdempotencyKeys(secrets);
  const claimOf = (request: FastifyRequest): KeyClaim | null => {
    const key = readKey(request);
    const caller = callerOf(request);
    if (key === null || caller === null) return null;
    return keys.claimOf(caller, `${request.method} ${request.url}`, key, request.rawBody);
  };
  return {
    async write(request, reply, given) {
      const rule = typeof given === 'function' ? given : given.alone;
      const claim = claimOf(request);
      if (readDryRun(request)) {
        return dryRun(db, reply, rule, (tx) => forecast(tx, callerOf(request)!.accountId, tx.emitted));
      }
      if (claim) return writeOnce(db, keys, claim, request, reply, rule);
      const answer = await (typeof given === 'function'
        ? db.transaction((tx) => given(tx, forReal))
        : submit(db, given));
      reply.code(answer.status);
      return answer.body;
    },
    async storeRejection(request, refusal) {
      if (request.idempotencyHandled || !keepsAnswer(refusal.status) || isDryRun(request)) return null;
      const claim = claimOf(request);
      if (!claim) return null;
      return db.transaction(async (tx) => {
        const earlier = await keys.claim(tx, claim);
        if (earlier) return { ...earlier, replayed: true };
        const { status, body } = answerOf(refusal, request.id);
        const text = JSON.stringify(body);
        await keys.save(tx, claim, status, text);
        return { status, body: text, replayed: false };
      });
    },
  };
}

const forReal = { isDryRun: false };
const keyForm = /^[\x21-\x7e]{1,255}$/;

/** Keys are for POST and PATCH; other methods are idempotent, so the header is ignored there. */
function readKey(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined || (request.method !== 'POST' && request.method !== 'PATCH')) return null;
  if (typeof key !== 'string' || !keyForm.test(key)) {
    throw badRequest('Idempotency-Key must be 1 to 255 visible ASCII characters');
  }
  return key;
}

async function writeOnce<Body>(
  db: Db,
  keys: IdempotencyKeys,
  claim: KeyClaim,
  request: FastifyRequest,
  reply: FastifyReply,
  rule: Rule<Body>,
): Promise<Body> {
  request.idempotencyHandled = true;
  const outcome = await db.transaction(async (tx) => {
    const earlier = await keys.claim(tx, claim);
    if (earlier) return { ...earlier, replayed: true };
    const answer = await runRule(tx, request, reply, rule);
    if (answer.kept) await keys.save(tx, claim, answer.status, answer.body);
    // Thrown after the claim, so that the rollback frees the key for a retry.
    else throw answer.error;
    return { status: answer.status, body: answer.body, replayed: false };
  });
  if (outcome.replayed) reply.header('idempotency-replayed', 'true');
  reply.code(outcome.status);
  // It was serialised before it was stored: a replay must send the same bytes.
  return sendJson(reply, outcome.body);
}

type RuleOutcome = { kept: true; status: number; body: string } | { kept: false; error: unknown };

async function runRule<Body>(
  tx: Tx,
  request: FastifyRequest,
  reply: FastifyReply,
  rule: Rule<Body>,
): Promise<RuleOutcome> {
  try {
    const answer = await tx.savepoint(() => rule(tx, forReal));
    reply.code(answer.status);
    return { kept: true, status: answer.status, body: reply.serialize(answer.body) as string };
  } catch (error) {
    if (!(error instanceof AppError) || !keepsAnswer(error.status)) return { kept: false, error };
    const { status, body } = answerOf(error, request.id);
    return { kept: true, status, body: JSON.stringify(body) };
  }
}

/** Errors that a retry may avoid (credentials, limits, our own faults) are not stored. */
function keepsAnswer(status: number): boolean {
  return status >= 400 && status < 500 && ![401, 403, 429].includes(status);
}

class DryRunEnd extends Error {}

function isDryRun(request: FastifyRequest): boolean {
  return request.headers['x-dry-run'] !== undefined;
}

/** A dry run where none is supported must not change anything. */
function readDryRun(request: FastifyRequest): boolean {
  if (!isDryRun(request)) return false;
  if (!request.routeConfig.dryRun) throw badRequest('X-Dry-Run is only supported on CRM writes');
  if (request.headers['x-dry-run'] !== 'events') throw badRequest('X-Dry-Run must be "events"');
  return true;
}

/** Runs the whole rule, then rolls back: the events are exact, nothing has changed. */
async function dryRun<Body>(
  db: Db,
  reply: FastifyReply,
  rule: Rule<Body>,
  forecast: (tx: Tx) => Promise<object[]>,
): Promise<Body> {
  let events: object[] = [];
  try {
    await db.transaction(async (tx) => {
      await rule(tx, { isDryRun: true });
      events = await forecast(tx);
      throw new DryRunEnd();
    });
  } catch (error) {
    if (!(error instanceof DryRunEnd)) throw error;
  }
  reply.code(200).type('application/json; charset=utf-8').serializer(JSON.stringify);
  return { dryRun: true, events } as Body;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route is a CRM write that supports `X-Dry-Run: events`. */
    dryRun?: boolean;
  }
  interface FastifyRequest {
    /** The Idempotency-Key was handled where the rule ran. */
    idempotencyHandled: boolean;
  }
}
