/**
 * Writes what a run will publish, in batches and without the account's lock (D-660): versions and passages beside those in
 * use, and new documents whose source is the run, so that nobody finds them. The publication only switches.
 */
import type { KnowledgeDocument, KnowledgeRun } from '../../../../contract/knowledge.ts';
import type { Db, Tx } from '../../../platform/db/db.ts';
import { AppError, busy } from '../../../platform/http/errors.ts';
import { newId } from '../../../platform/ids.ts';
import { createYielder } from '../../../search-engine/query/yielder.ts';
import { findAccount } from '../../accounts/accounts.ts';
import {
  insertDocuments,
  type StoredDocument,
  selectDocumentsOfSource,
  updateDocuments,
} from '../documents/knowledge.documents.sql.ts';
import { checkQuota, passagesOf } from '../documents/knowledge.documents.ts';
import { readKnowledge } from '../knowledge.state.sql.ts';
import type { Website } from '../sources/knowledge.sources.sql.ts';
import {
  nameDocumentsOfPages,
  type PreparedChange,
  preparePassages,
  prepareVersions,
  type VersionOfPage,
} from './knowledge.prepared.sql.ts';
import {
  lockRun,
  type StagedPage,
  selectGone,
  selectKnownPages,
  selectReadPages,
} from './knowledge.runs.sql.ts';
import { selectStaged, stagedTexts } from './knowledge.staged.ts';

/** What the publication switches. */
export interface PreparedRun {
  /** Of the website. */
  language: string | null;
  added: string[];
  changed: PreparedChange[];
  gone: string[];
  /** That there are more of afterwards. */
  bytes: number;
}

interface Preparing {
  accountId: string;
  runId: string;
  /** In another one it ends. */
  state: KnowledgeRun['state'];
  website: Website;
  by: string;
  now: number;
  /** Part of each batch. */
  keep?: (tx: Tx) => Promise<void>;
}

/** A document of the source was changed after the run was prepared. */
export class PreparedTooEarly extends AppError {
  constructor() {
    const { status, code, message, retryAfterSeconds } = busy('too many concurrent changes, please retry');
    super(status, code, message, retryAfterSeconds);
  }
}

const maxAttempts = 4;

/** Prepares again when documents of the source were changed in between. */
export async function publishPrepared<Result>(
  prepare: () => Promise<PreparedRun | null>,
  publish: (prepared: PreparedRun | null) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    const prepared = await prepare();
    try {
      return await publish(prepared);
    } catch (error) {
      if (!(error instanceof PreparedTooEarly) || attempt === maxAttempts) throw error;
    }
  }
}

/** Others of the process wait no longer than this while passages are cut. */
const sliceMs = 5;

/** Null: the run is not in this state any more. Throws KNOWLEDGE_QUOTA before anything is written. */
export async function prepareRun(db: Db, preparing: Preparing): Promise<PreparedRun | null> {
  const { accountId, runId, website } = preparing;
  const inUse = await selectDocumentsOfSource(db, accountId, website.id);
  const earlier = await selectDocumentsOfSource(db, accountId, runId);
  const known = await selectKnownPages(db, accountId, website.id);
  const work: Work = {
    ...preparing,
    language: website.language ?? (await findAccount(db, accountId))!.language,
    inUse: new Map(inUse.map((document) => [document.url!, document])),
    earlier: new Map(earlier.map((document) => [document.url!, document])),
    hashes: new Map(known.map(({ id, hash }) => [id, hash])),
  };
  const read = await selectReadPages(db, accountId, runId);
  const staged = await selectStaged(db, accountId, runId, read);
  const newPages = staged.filter(({ url }) => !work.inUse.has(url));
  const bytes = staged.reduce((sum, page) => sum + page.bytes - (work.inUse.get(page.url)?.bytes ?? 0), 0);
  checkQuota(await readKnowledge(db, accountId), newPages.length, bytes);
  const prepared: PreparedRun = {
    language: website.language,
    added: [],
    changed: [],
    gone: await selectGone(db, accountId, runId),
    bytes,
  };
  const withText = new Set(staged.map(({ number }) => number));
  const others = read.flatMap(({ number, url }) => {
    const document = withText.has(number) ? undefined : work.inUse.get(url);
    return document ? [{ number, documentId: document.id }] : [];
  });
  const isOpen = await inRun(db, work, (tx) => nameDocumentsOfPages(tx, accountId, runId, others));
  if (!isOpen) return null;
  for await (const pages of stagedTexts(db, accountId, runId, staged)) {
    const batch = await prepareBatch(work, pages);
    if (!(await inRun(db, work, (tx) => writeBatch(tx, work, batch)))) return null;
    prepared.added.push(...[...batch.added, ...batch.rewritten].map(({ id }) => id));
    prepared.changed.push(...batch.changed);
  }
  return prepared;
}

interface Work extends Preparing {
  language: string;
  /** By their addresses. */
  inUse: ReadonlyMap<string, StoredDocument>;
  /** Of an attempt that was not published. */
  earlier: ReadonlyMap<string, StoredDocument>;
  /** Of the newest version, by the id of its document. */
  hashes: ReadonlyMap<string, string | null>;
}

interface Batch {
  /** Not in use yet. */
  added: StoredDocument[];
  rewritten: StoredDocument[];
  changed: PreparedChange[];
  pages: { number: number; documentId: string }[];
  versions: VersionOfPage[];
  passages: VersionOfPage[];
}

async function inRun(db: Db, work: Work, write: (tx: Tx) => Promise<void>): Promise<boolean> {
  const { accountId, runId, state, keep } = work;
  return db.transaction(async (tx) => {
    await keep?.(tx);
    // Two that prepare the same run take turns.
    if ((await lockRun(tx, accountId, runId))?.state !== state) return false;
    await write(tx);
    return true;
  });
}

async function prepareBatch(work: Work, pages: readonly StagedPage[]): Promise<Batch> {
  const pause = createYielder(sliceMs);
  const batch: Batch = { added: [], rewritten: [], changed: [], pages: [], versions: [], passages: [] };
  for (const page of pages) {
    const before = work.inUse.get(page.url);
    const after = before ? changedDocument(work, before, page) : newDocument(work, page);
    if (before) batch.changed.push(changeOf(before, after));
    else batch[work.earlier.has(page.url) ? 'rewritten' : 'added'].push(after);
    batch.pages.push({ number: page.number, documentId: after.id });
    const passages = passagesOf(page.text);
    const version: VersionOfPage = {
      number: page.number,
      documentId: after.id,
      version: after.version,
      characters: after.characters,
      passages,
    };
    if (after.version !== before?.version) batch.versions.push(version);
    if (after.publishedVersion !== null && after.publishedVersion !== before?.publishedVersion) {
      batch.passages.push(version);
    }
    const waiting = pause();
    if (waiting) await waiting;
  }
  return batch;
}

async function writeBatch(tx: Tx, { accountId, runId, by, now }: Work, batch: Batch): Promise<void> {
  await insertDocuments(tx, accountId, batch.added, unnumbered);
  await updateDocuments(tx, accountId, batch.rewritten, unnumbered);
  await prepareVersions(tx, accountId, runId, batch.versions, by, now);
  await preparePassages(tx, accountId, batch.passages);
  await nameDocumentsOfPages(tx, accountId, runId, batch.pages);
}

/** The publication gives them the number of its change. */
const unnumbered = 0;

function newDocument({ runId, website, by, now, language, earlier }: Work, page: StagedPage): StoredDocument {
  return {
    id: earlier.get(page.url)?.id ?? newId(now),
    sourceId: runId,
    title: page.title,
    url: page.url,
    language: page.language ?? language,
    state: 'published',
    version: 1,
    publishedVersion: 1,
    characters: page.text.length,
    problem: null,
    updatedAt: now,
    updatedBy: by,
    audience: audienceOf(website),
    bytes: page.bytes,
    createdAt: now,
    fileKey: null,
    collectionId: null,
    translationOf: null,
  };
}

const audienceOf = ({ headers }: Website): KnowledgeDocument['audience'] =>
  headers === null ? 'public' : 'internal';

/** What a person has taken out of use stays so: its new text is a version that is not published. */
function changedDocument({ hashes }: Work, before: StoredDocument, page: StagedPage): StoredDocument {
  const isSameText = hashes.get(before.id) === page.hash && before.title === page.title;
  const version = isSameText ? before.version : before.version + 1;
  const isDraft = before.state === 'draft';
  return {
    ...before,
    title: page.title,
    state: isDraft ? 'draft' : 'published',
    version,
    publishedVersion: isDraft ? null : version,
    characters: page.text.length,
    bytes: page.bytes,
  };
}

const changeOf = (before: StoredDocument, after: StoredDocument): PreparedChange => {
  const { id, state, version, publishedVersion, title, characters, bytes } = after;
  return {
    id,
    state,
    version,
    publishedVersion,
    title,
    characters,
    bytes,
    before: { state: before.state, version: before.version },
  };
};
