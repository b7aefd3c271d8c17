/**
 * The live nodes of the instance and their calls of each other. A node is a process that answers requests and announces
 * an address. Each key, such as an account, has one owner among them; where memory is precious, its work is done there.
 *
 * Nothing depends on the nodes agreeing about owners: a node that is called does the work itself, also if it is not the owner.
 * So no call is passed on twice, and a wrong owner costs memory, never correctness.
 */
import type { Db } from '../db/db.ts';
import { AppError, unavailable } from '../http/errors.ts';
import { newId } from '../ids.ts';
import type { Logger } from '../logger.ts';
import type { Secrets } from '../secrets/secrets.ts';
import { Breaker } from './breaker.ts';
import { type CallLimits, callLimits, callPath, createNodeCalls, maxCallBytes } from './node-calls.ts';
import { type AdmittedCall, createNodeSignatures } from './node-signature.ts';
import { type NodeRow, removeNode, removeOldNodes, renewNode } from './nodes.sql.ts';
import { hashOf, type Ranked, rankFor } from './rendezvous.ts';

type Handler = (question: unknown) => Promise<unknown>;

export interface Nodes {
  readonly id: string;
  /** Others may call this process at the address from now on. */
  announce(url: string): Promise<void>;
  /** Asks the owner of the key. Null: that is this process, or the owner gives no answer; then the answer is made here. */
  ask(key: string, topic: string, question: unknown): Promise<{ answer: unknown } | null>;
  /** Answers calls of other nodes about the topic, until the returned function is called. */
  serve(topic: string, handler: Handler): () => void;
  /** For the head of a call: throws a 401 for a forged, late or repeated one before its body is read. */
  admit(header: unknown): AdmittedCall;
  /** The parts of the signed answer to a call; the first one comes at once. Throws a 401 for another call's body. */
  answer(call: AdmittedCall, body: Buffer): AsyncIterable<string>;
  /** How many nodes there are, this one included; 0 before `announce`. */
  count(): number;
  /** Others call this process no more. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

export interface NodesDeps {
  /** The home cell's. */
  db: Db;
  secrets: Secrets;
  logger: Logger;
  /** The database's clock. */
  now(): number;
  onCall(outcome: 'answered' | 'failed'): void;
  onCount(nodes: number): void;
  limits?: CallLimits;
}

const renewEveryMs = 2_000;
/** Longer than three renewals: a slow database must not make owners change. */
export const aliveSeconds = 8;
/** Rows of processes that were killed. */
const keptSeconds = 3_600;

interface Member extends NodeRow, Ranked {}

export function createNodes(deps: NodesDeps): Nodes {
  const { db, logger, limits = callLimits } = deps;
  const id = newId();
  const signatures = createNodeSignatures(deps.secrets, deps.now);
  const calls = createNodeCalls(signatures, limits);
  const breaker = new Breaker();
  const handlers = new Map<string, Handler>();
  let own: Member | null = null;
  let members: Member[] = [];
  let timer: NodeJS.Timeout | null = null;
  let renewing: Promise<void> | null = null;
  let isWarned = false;

  const renew = async () => {
    if (!own) return;
    const others = await renewNode(db, own, aliveSeconds);
    // It has left meanwhile.
    if (!own) return;
    const { url } = own;
    if (!isWarned && others.some((other) => other.url === url)) {
      isWarned = true;
      logger.warn({ url }, 'another process has the same NODE_ADDRESS: give each process its own');
    }
    members = [own, ...others.filter(({ url }) => URL.canParse(url)).map(asMember)];
    deps.onCount(members.length);
    breaker.keepOnly(new Set(members.map((member) => member.id)));
    calls.keepOnly(new Set(members.map((member) => member.url)));
  };
  const renewOnce = () => {
    renewing ??= renew()
      // The last known nodes stay: those that are gone are skipped when they fail.
      .catch((error) =>
        logger.warn({ reason: (error as Error).message }, 'the list of nodes was not renewed'),
      )
      .finally(() => {
        renewing = null;
      });
    return renewing;
  };

  const leave = async () => {
    if (timer) clearInterval(timer);
    timer = null;
    if (!own) return;
    own = null;
    members = [];
    deps.onCount(0);
    await renewing;
    // Otherwise the row expires.
    await removeNode(db, id).catch(() => {});
  };

  return {
    id,
    async announce(url) {
      await removeOldNodes(db, url, keptSeconds);
      own = asMember({ id, url });
      await renewOnce();
      timer = setInterval(renewOnce, renewEveryMs).unref();
    },

    async ask(key, topic, question) {
      if (members.length < 2) return null;
      const owner = rankFor(key, members).find((member) => member === own || breaker.mayTry(member.id));
      if (!owner || owner === own) return null;
      const call = JSON.stringify({ topic, question });
      if (Buffer.byteLength(call) > maxCallBytes) return null;
      let text: string;
      try {
        text = await calls.call(owner, call);
        breaker.succeeded(owner.id);
      } catch (error) {
        deps.onCall('failed');
        if (breaker.failed(owner.id)) {
          const reason = (error as Error).message;
          logger.warn({ url: owner.url, reason }, 'a node did not answer and is skipped for now');
        }
        return null;
      }
      const answered = JSON.parse(text) as Answered;
      if ('error' in answered && answered.error.status >= 500) {
        deps.onCall('failed');
        return null;
      }
      deps.onCall('answered');
      if ('error' in answered) throw errorFrom(answered.error);
      return answered;
    },

    serve(topic, handler) {
      handlers.set(topic, handler);
      return () => {
        if (handlers.get(topic) === handler) handlers.delete(topic);
      };
    },

    admit: (header) => signatures.admit(header, { path: callPath, nodeId: id }),

    answer(call, body) {
      signatures.checkBody(call, body);
      return answerParts();

      async function* answerParts() {
        // White space before the JSON: the caller learns that the call has arrived.
        yield '\n';
        const answered = await answerCall(body);
        yield signatures.sealAnswer(call.header, JSON.stringify(answered));
      }
    },

    count: () => members.length,
    leave,

    async close() {
      await leave();
      await calls.close();
    },
  };

  async function answerCall(body: Buffer): Promise<Answered> {
    try {
      const { topic, question } = JSON.parse(body.toString('utf8')) as { topic: string; question: unknown };
      const handler = handlers.get(topic);
      if (!handler) throw unavailable(`this node does not serve ${topic}`);
      return { answer: await handler(question) };
    } catch (error) {
      if (error instanceof AppError) return { error: describe(error) };
      logger.error({ err: error }, 'a call of another node failed');
      return { error: describe(new AppError(500, 'INTERNAL', 'the call failed')) };
    }
  }
}

type Described = Pick<AppError, 'status' | 'code' | 'message' | 'retryAfterSeconds' | 'reason' | 'details'>;
type Answered = { answer: unknown } | { error: Described };

const describe = ({ status, code, message, retryAfterSeconds, reason, details }: AppError): Described => ({
  status,
  code,
  message,
  retryAfterSeconds,
  reason,
  details,
});

const errorFrom = ({ status, code, message, retryAfterSeconds, reason, details }: Described) =>
  new AppError(status, code, message, retryAfterSeconds, reason, details);

/** By address: a process that is restarted owns what it owned before. */
const asMember = (row: NodeRow): Member => ({ ...row, hash: hashOf(row.url) });
