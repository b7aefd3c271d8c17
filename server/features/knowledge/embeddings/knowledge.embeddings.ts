/** Which provider makes the vectors of an account's knowledge. Each change takes the account's row of `knowledge_state`. */
import {
  type Embedding,
  type EmbeddingUpdate,
  hiddenKey,
  type KnowledgeSettings,
  type KnowledgeSettingsUpdate,
} from '../../../../contract/knowledge-settings.ts';
import type { Reader, Tx } from '../../../platform/db/db.ts';
import { badRequest } from '../../../platform/http/errors.ts';
import { expediteJob, wakeJobs } from '../../../platform/jobs/jobs.ts';
import { checkOutboundUrl, type OutboundAllow } from '../../../platform/outbound/outbound-address.ts';
import { canSendHeader } from '../../../platform/outbound/safe-fetch.ts';
import { sealedFor } from '../../../platform/secrets/sealed-columns.ts';
import type { Secrets } from '../../../platform/secrets/secrets.ts';
import { type Actor, audit, differences, requireAddressRight } from '../../accounts/accounts.ts';
import { lockKnowledge } from '../knowledge.state.sql.ts';
import { EmbeddingError, type EmbeddingModel } from './embed-texts.ts';
import {
  countVectors,
  deleteEmbedding,
  findEmbedding,
  type StoredEmbedding,
  saveEmbedding,
} from './knowledge.embeddings.sql.ts';

export const embeddingJobKind = 'knowledge_vectors';

/** Passages are new. */
export async function wakeEmbedding(tx: Tx, accountId: string): Promise<void> {
  const stored = await findEmbedding(tx, accountId);
  if (stored?.enabled) await wakeJob(tx, accountId);
}

const jobKey = 'all';
const wakeJob = (tx: Tx, accountId: string): Promise<void> =>
  wakeJobs(tx, { accountId, kind: embeddingJobKind, payloads: new Map([[jobKey, {}]]) });

/** As a search needs it. */
export type UsedEmbedding = Pick<StoredEmbedding, 'baseUrl' | 'model' | 'apiKey' | 'generation'>;

/** As the provider is called. Throws an EmbeddingError if the key was sealed with another SECRET_KEY. */
export function openEmbedding(
  secrets: Secrets,
  accountId: string,
  { baseUrl, model, apiKey }: Omit<UsedEmbedding, 'generation'>,
): EmbeddingModel {
  try {
    const key = apiKey === null ? null : secrets.open(apiKey, sealedFor.knowledgeEmbedding(accountId));
    return { baseUrl, model, apiKey: key };
  } catch {
    throw new EmbeddingError('the key cannot be read: enter it again');
  }
}

export async function readSettings(db: Reader, accountId: string): Promise<KnowledgeSettings> {
  const stored = await findEmbedding(db, accountId);
  if (!stored) return { embedding: null };
  const { enabled, provider, baseUrl, model, apiKey, problem, generation } = stored;
  const counts = await countVectors(db, accountId, generation);
  return {
    embedding: {
      enabled,
      provider,
      baseUrl,
      model,
      apiKey: apiKey === null ? null : hiddenKey,
      state: stateOf(stored, counts),
      problem,
      ...counts,
    },
  };
}

function stateOf(
  { enabled, problem }: StoredEmbedding,
  { passages, embedded, refused }: Pick<Embedding, 'passages' | 'embedded' | 'refused'>,
): Embedding['state'] {
  if (!enabled) return 'off';
  if (problem !== null) return 'problem';
  return embedded + refused < passages ? 'working' : 'ready';
}

/** Resolves the address, so it runs before the transaction is opened. */
export async function checkEmbeddingUrl(
  { embedding }: KnowledgeSettingsUpdate,
  allow: OutboundAllow,
): Promise<void> {
  if (embedding?.baseUrl === undefined) return;
  const problem = await checkOutboundUrl(embedding.baseUrl, allow);
  if (problem) throw badRequest(`embedding.baseUrl ${problem}`);
}

export async function changeSettings(
  tx: Tx,
  secrets: Secrets,
  actor: Actor,
  now: number,
  { embedding: change }: KnowledgeSettingsUpdate,
): Promise<KnowledgeSettings> {
  const { accountId } = actor;
  if (change === undefined) return readSettings(tx, accountId);
  const state = await lockKnowledge(tx, accountId);
  const before = await findEmbedding(tx, accountId);
  const after = change && merged(secrets, actor, before, change, { now, changeNumber: state.change });
  if (after) await saveEmbedding(tx, accountId, after);
  else await deleteEmbedding(tx, accountId);
  if (after?.enabled) {
    await wakeJob(tx, accountId);
    // It may wait after a failure.
    await expediteJob(tx, { accountId, kind: embeddingJobKind, dedupeKey: jobKey, delayMs: 0 });
  }
  const changes = changesOf(before, after);
  if (Object.keys(changes).length > 0) {
    await audit(tx, actor, now, {
      action: 'knowledge_settings.updated',
      target: { type: 'knowledge_settings', id: accountId },
      changes,
    });
  }
  return readSettings(tx, accountId);
}

function merged(
  secrets: Secrets,
  actor: Actor,
  before: StoredEmbedding | null,
  change: EmbeddingUpdate,
  { now, changeNumber }: { now: number; changeNumber: number },
): StoredEmbedding {
  const { provider, baseUrl, model, enabled } = { enabled: true, ...before, ...change };
  if (provider === undefined) throw badRequest('embedding.provider is required');
  if (baseUrl === undefined) throw badRequest('embedding.baseUrl is required');
  if (model === undefined) throw badRequest('embedding.model is required');
  if (baseUrl !== before?.baseUrl) requireAddressRight(actor, 'embedding.baseUrl');
  const isSame = before !== null && before.baseUrl === baseUrl && before.model === model;
  return {
    enabled,
    provider,
    baseUrl,
    model,
    apiKey: keyAfter(secrets, actor.accountId, before, baseUrl, change.apiKey),
    generation: isSame ? before.generation : changeNumber,
    dimensions: isSame ? before.dimensions : null,
    // It was about the settings before; the next call says whether it is still there.
    problem: null,
    updatedAt: now,
  };
}

/** A key was entered for an origin. Who may change the address must not learn the key that way. */
function keyAfter(
  secrets: Secrets,
  accountId: string,
  before: StoredEmbedding | null,
  baseUrl: string,
  given: string | null | undefined,
): string | null {
  if (given === null) return null;
  if (given !== undefined && given !== hiddenKey) {
    if (!canSendHeader('authorization', `Bearer ${given}`))
      throw badRequest('embedding.apiKey cannot be sent');
    return secrets.seal(given, sealedFor.knowledgeEmbedding(accountId));
  }
  const isSameOrigin = before !== null && new URL(before.baseUrl).origin === new URL(baseUrl).origin;
  return isSameOrigin ? before.apiKey : null;
}

/** For the audit log. */
function changesOf(before: StoredEmbedding | null, after: StoredEmbedding | null): Record<string, unknown> {
  const shown = (one: StoredEmbedding | null) =>
    one && { enabled: one.enabled, provider: one.provider, baseUrl: one.baseUrl, model: one.model };
  if (after === null) return before ? { embedding: { from: shown(before), to: null } } : {};
  const key =
    after.apiKey === (before?.apiKey ?? null) ? null : after.apiKey === null ? 'removed' : 'changed';
  return { ...differences(shown(before) ?? {}, shown(after)!), ...(key && { apiKey: key }) };
}
