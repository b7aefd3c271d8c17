/**
 * `call`: an HTTP tool of the account, or a signed POST to an address. It happens outside of transactions, at least once,
 * with the same Idempotency-Key in every attempt.
 */
import type { KeyObject } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { RuleStep } from '../../../contract/automation/steps.ts';
import { limits } from '../../../contract/limits.ts';
import type { Clock } from '../../platform/db/clock.ts';
import type { Db } from '../../platform/db/db.ts';
import { signedHeaders } from '../../platform/events/signature.ts';
import { AppError, badRequest } from '../../platform/http/errors.ts';
import type { RateLimits } from '../../platform/limits/rate-limit.ts';
import {
  checkOutboundUrl,
  httpsProblem,
  type OutboundAllow,
} from '../../platform/outbound/outbound-address.ts';
import { OutboundError, type SafeFetch } from '../../platform/outbound/safe-fetch.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { type Actor, may } from '../accounts/accounts.ts';
import { callTool, requireStored, serviceValuesOf } from '../tools/tools.ts';
import type { CallAnswer } from './steps.answers.ts';
import { type Filled, fillStep, type Step, type TextScene } from './steps.fill.ts';
import { everyStep } from './steps.walk.ts';

export interface CallDeps {
  db: Db;
  clock: Clock;
  rateLimits: RateLimits;
  safeFetch: SafeFetch;
  secrets: Secrets;
  config: { outboundAllow: OutboundAllow };
}

export interface CallOptions {
  /** The same for every attempt of this step in this run. */
  key: string;
  /** The rule's secrets in force. */
  secrets: readonly KeyObject[];
  runId: string;
  stepId: string;
  signal: AbortSignal;
  /** Before each next attempt; shorter in tests. */
  pausesMs?: readonly number[];
}

export type CallOutcome =
  | {
      state: 'done' | 'failed';
      /** Why it failed, as a sentence. */
      reason: string | null;
      /** For `{{steps.<id>.…}}`. */
      answer: CallAnswer;
      filled: Filled;
    }
  /** The account has made as many calls as it may in a minute: nothing was sent. */
  | { state: 'later'; waitMs: number };

const { callTimeoutMs, callBytes, callTries, callsPerMinute } = limits.automation;
const usualPausesMs = [1_000, 4_000];

/** `scene` was read in a transaction, which has ended. */
export async function performCall(
  deps: CallDeps,
  scene: TextScene,
  step: Step,
  options: CallOptions,
): Promise<CallOutcome> {
  const filled = fillStep(scene, step);
  const failed = (reason: string): CallOutcome => {
    return { state: 'failed', reason, answer: { status: null, body: null }, filled };
  };
  if (filled.unfilled.length > 0) {
    return failed(`the step has placeholders without a value: ${filled.unfilled.join(', ')}`);
  }
  const { accountId } = scene.actor;
  const { signal, pausesMs = usualPausesMs } = options;
  const windows = [{ limit: callsPerMinute, seconds: 60 }];
  for (let tries = 1; ; tries++) {
    const { admitted, retryAfterSeconds } = await deps.rateLimits.admit(accountId, 'rule-calls', windows);
    if (!admitted) return { state: 'later', waitMs: retryAfterSeconds * 1_000 };
    const { error, mayRetry, ...answer } = await attempt(deps, scene, filled.step, options);
    if (error === null) return { state: 'done', reason: null, answer, filled };
    if (!mayRetry || tries >= callTries) return { state: 'failed', reason: error, answer, filled };
    await pause(pausesMs[tries - 1]!, signal);
  }
}

/** Rejects with the signal's reason, as a call does. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}

interface Attempt {
  status: number | null;
  body: unknown;
  error: string | null;
  mayRetry: boolean;
}

const attempt = (deps: CallDeps, scene: TextScene, step: Step, options: CallOptions): Promise<Attempt> =>
  step.toolId === undefined ? post(deps, scene, step, options) : askTool(deps, scene, step, options);

async function post(
  { clock, safeFetch, config }: CallDeps,
  { actor, session, record }: TextScene,
  { url, body }: Step,
  { key, secrets, runId, stepId, signal }: CallOptions,
): Promise<Attempt> {
  const now = clock.now();
  const about = {
    ruleId: actor.id,
    ruleName: actor.name,
    runId,
    stepId,
    sessionId: session?.sessionId ?? null,
    recordId: record?.recordId ?? null,
  };
  const text = JSON.stringify(body === undefined ? about : body);
  const headers = {
    ...signedHeaders(secrets, key, Math.floor(now / 1000), text),
    'content-type': 'application/json',
    'idempotency-key': key,
  };
  const problem = httpsProblem(url!, config.outboundAllow);
  if (problem) return never(`the address ${problem}`);
  try {
    const response = await safeFetch.request(url!, {
      method: 'POST',
      headers,
      body: text,
      totalTimeoutMs: callTimeoutMs,
      maxReadBytes: callBytes,
      keepBytes: callBytes,
      signal,
    });
    const { status, truncated } = response;
    const isSuccess = status >= 200 && status < 300;
    const error = isSuccess ? null : `answered ${status}`;
    return { status, body: readAnswer(response.body, truncated), error, mayRetry: isPassing(status) };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { status: null, body: null, error: error.message, mayRetry: error.code !== 'ADDRESS_REFUSED' };
  }
}

async function askTool(
  { db, secrets, safeFetch, config: { outboundAllow } }: CallDeps,
  { actor, config, session, record }: TextScene,
  { toolId, arguments: given = {} }: Step,
  { key, signal }: CallOptions,
): Promise<Attempt> {
  const values = serviceValuesOf(session, record, config.definitions.kanbans.get(record?.kanbanId ?? ''));
  try {
    const stored = await requireStored(db, actor.accountId, toolId!);
    if (!stored.enabled) return never('the tool is disabled');
    const problem = stored.server ? 'is not one of an HTTP tool' : httpsProblem(stored.url!, outboundAllow);
    if (problem) return never(`the address of the tool ${problem}`);
    const timeoutMs = Math.min(stored.timeoutMs, callTimeoutMs);
    const maxBytes = Math.min(stored.maxBytes, callBytes);
    const tool = { ...stored, timeoutMs, maxBytes };
    const options = { signal, idempotencyKey: key };
    const { result, truncated, error, status } = await callTool(
      { secrets, safeFetch },
      tool,
      given,
      values,
      options,
    );
    const mayRetry = error !== null && (status === null || isPassing(status));
    return { status, body: readAnswer(result ?? '', truncated), error, mayRetry };
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
    return never(error.message);
  }
}

const never = (error: string): Attempt => ({ status: null, body: null, error, mayRetry: false });

const isPassing = (status: number) => status >= 500 || status === 429 || status === 408;

/** As JSON, or as the text that it is. */
function readAnswer(text: string, truncated: boolean): unknown {
  if (truncated) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * Resolves the addresses, so it runs before the transaction that saves the rule. Only for who may save them: saving
 * refuses all others.
 */
export async function checkCallUrls(
  actor: Actor,
  steps: readonly RuleStep[],
  allow: OutboundAllow,
): Promise<void> {
  if (!may(actor, 'webhooks.manage')) return;
  for (const { at, step } of everyStep(steps)) {
    if (step.type !== 'call' || step.url === undefined) continue;
    const problem = httpsProblem(step.url, allow) ?? (await checkOutboundUrl(step.url, allow));
    if (problem) throw badRequest(`${at}.url ${problem}`);
  }
}
