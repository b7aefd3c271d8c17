/** Knowledge of an account: sources, documents with their versions, and the search over their passages. */
export {
  citationsShown,
  forgetCitations,
  noteCitations,
  publicCitations,
  type StoredCitation,
  withCurrentAudience,
} from './citations/knowledge.citations.ts';
export {
  changeCollection,
  createCollection,
  listCollections,
  removeCollection,
  requireCollection,
} from './collections/knowledge.collections.ts';
export { checkTextsByLanguage } from './collections/texts-by-language.ts';
export {
  changeDocument,
  createDocument,
  keepDocumentsOfOthers,
  listDocuments,
  listPassages,
  listVersions,
  passagesOf,
  readDocument,
  removeDocument,
  replaceDocument,
  requireImage,
  settleImages,
} from './documents/knowledge.documents.ts';
export { embeddingJobKind } from './embeddings/knowledge.embeddings.ts';
export { createRerank } from './embeddings/rerank.ts';
export { createExtraction, type Extraction, ExtractionProblem } from './extraction/extraction.ts';
export {
  addFile,
  knowledgeFileJobKind,
  requestFileUpload,
  settleFile,
} from './files/knowledge.files.ts';
export { draftsFrom } from './gaps/knowledge.gaps.sql.ts';
export {
  dismissGap,
  draftArticle,
  eraseGapsOf,
  findGapAnswer,
  forgetUnanswered,
  type GapAnswer,
  knowledgeGapsHandler,
  knowledgeGapsJobKind,
  listGaps,
  noteBadRating,
  noteUnanswered,
  selectChangedAt,
  tidyGaps,
  type Unanswered,
  type WrittenArticle,
} from './gaps/knowledge.gaps.ts';
export { readableBy } from './knowledge.readers.ts';
export {
  createQuestion,
  evaluateQuestions,
  listQuestions,
  removeQuestion,
} from './questions/knowledge.questions.ts';
export {
  createKnowledgeSearch,
  type KnowledgeSearch,
  type RetrievedPassage,
} from './search/knowledge.search.ts';
export {
  articlesSourceId,
  changeSource,
  createSource,
  findSources,
  findUnknownSources,
  listSources,
  removeSource,
  requireSource,
  sourceRemovalJobKind,
  startAccountWithKnowledge,
} from './sources/knowledge.sources.ts';
export { readUsage } from './usage/knowledge.usage.ts';
export { pruneHosts } from './websites/knowledge.hosts.sql.ts';
export {
  endedRunJobKind,
  findReview,
  requireRun,
  scheduledSyncJobKind,
  selectRunsByKeys,
  startSync,
  syncJobKind,
} from './websites/knowledge.runs.ts';
export { checkAddresses } from './websites/website-settings.ts';
