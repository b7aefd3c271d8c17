/** Makes the vectors of passages that have none. A kill repeats one batch at most. */
import type { Db } from '../../../platform/db/db.ts';
import { backoffMs } from '../../../platform/jobs/backoff.ts';
import { type Job, type JobHandler, JobPostponed, JobReleased } from '../../../platform/jobs/jobs.ts';
import type { SafeFetch } from '../../../platform/outbound/safe-fetch.ts';
import type { Secrets } from '../../../platform/secrets/secrets.ts';
import { holdKnowledge } from '../knowledge.state.sql.ts';
import { EmbeddingError, type EmbeddingModel, embedTexts } from './embed-texts.ts';
import {
  findEmbedding,
  type NewVector,
  noteAnswer,
  noteProblem,
  type StoredEmbedding,
  saveVectors,
  selectUnembedded,
  type UnembeddedPassage,
} from './knowledge.embeddings.sql.ts';
import { openEmbedding } from './knowledge.embeddings.ts';
import { toBytes } from './vectors.ts';

interface Deps {
  db: Db;
  secrets: Secrets;
  safeFetch: SafeFetch;
}

const passagesAtATime = 32;
/** A passage may be one long row of a table. Most models read less. */
const maxTextLength = 8_000;
/** Also for a model on a slow machine. */
const timeoutMs = 120_000;
const longestWaitMs = 3_600_000;

export function embeddingHandler(deps: Deps): JobHandler {
  const { db } = deps;
  return async (job) => {
    const { accountId } = job;
    for (let after: UnembeddedPassage | null = null; ; ) {
      const settings = await findEmbedding(db, accountId);
      const passages: UnembeddedPassage[] = settings?.enabled
        ? await selectUnembedded(db, accountId, settings.generation, after, passagesAtATime)
        : [];
      if (settings && passages.length > 0) {
        await embed(deps, job, settings, passages);
        after = passages.at(-1)!;
      } else if (after) {
        // Those that came meanwhile may be before it.
        after = null;
      } else {
        if (await job.completeUnlessWoken(job.wakes)) return;
        throw new JobReleased('more passages came meanwhile');
      }
    }
  };
}

async function embed(
  { db, secrets, safeFetch }: Deps,
  job: Job,
  settings: StoredEmbedding,
  passages: readonly UnembeddedPassage[],
): Promise<void> {
  const { accountId, signal } = job;
  const { generation } = settings;
  try {
    const model = openEmbedding(secrets, accountId, settings);
    const vectors = await vectorsOf({ safeFetch, model, signal }, passages);
    const dimensions = vectors.find((one) => one !== null)?.length ?? null;
    checkDimensions(settings.dimensions, dimensions);
    const rows = passages.map(({ documentId, number, version }, at): NewVector => {
      const vector = vectors[at]!;
      return { documentId, number, version, vector: vector && toBytes(vector) };
    });
    await db.transaction(async (tx) => {
      await holdKnowledge(tx, accountId);
      await job.keep(tx);
      await saveVectors(tx, accountId, generation, rows);
      await noteAnswer(tx, accountId, generation, dimensions);
    });
  } catch (error) {
    if (!(error instanceof EmbeddingError)) throw error;
    const isCurrent = await noteProblem(db, accountId, settings, error.message);
    if (!isCurrent) throw new JobReleased('the settings have changed');
    throw new JobPostponed(Math.min(error.retryAfterMs ?? backoffMs(job.attempt), longestWaitMs));
  }
}

/** A model behind the same name has changed: its vectors say nothing about those before. */
function checkDimensions(before: number | null, now: number | null): void {
  if (before === null || now === null || before === now) return;
  throw new EmbeddingError(
    `the vectors have ${now} dimensions, those before had ${before}: remove the settings and enter them again`,
  );
}

interface Call {
  safeFetch: SafeFetch;
  model: EmbeddingModel;
  signal: AbortSignal;
}

/** Null for a passage that the provider refuses. */
async function vectorsOf(
  call: Call,
  passages: readonly UnembeddedPassage[],
): Promise<readonly (number[] | null)[]> {
  const texts = passages.map(textOf);
  const all = await unlessRefused(call, texts);
  if (all) return all;
  // One of the texts is refused, unless every text is.
  await embedTexts(call.safeFetch, call.model, ['text'], { timeoutMs, signal: call.signal });
  const vectors: (number[] | null)[] = [];
  for (const text of texts) vectors.push((await unlessRefused(call, [text]))?.[0] ?? null);
  return vectors;
}

async function unlessRefused(
  { safeFetch, model, signal }: Call,
  texts: readonly string[],
): Promise<number[][] | null> {
  try {
    return await embedTexts(safeFetch, model, texts, { timeoutMs, signal });
  } catch (error) {
    if (error instanceof EmbeddingError && error.isRefusal) return null;
    throw error;
  }
}

/** A passage alone often does not say what it is about. */
const textOf = ({ title, heading, text }: UnembeddedPassage): string =>
  [title, heading, text]
    .filter((one) => one !== null)
    .join('\n')
    .slice(0, maxTextLength)
    .toWellFormed();
