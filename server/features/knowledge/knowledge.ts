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
  changeDocument,
  createDocument,
  listDocuments,
  listPassages,
  listVersions,
  readDocument,
  removeDocument,
  replaceDocument,
} from './documents/knowledge.documents.ts';
export { createExtraction, type Extraction, ExtractionProblem } from './extraction/extraction.ts';
export {
  addFile,
  knowledgeFileJobKind,
  requestFileUpload,
  settleFile,
} from './files/knowledge.files.ts';
export {
  dismissGap,
  draftArticle,
  eraseGapsOf,
  forgetUnanswered,
  knowledgeGapsHandler,
  knowledgeGapsJobKind,
  listGaps,
  noteBadRating,
  noteUnanswered,
  type Unanswered,
} from './gaps/knowledge.gaps.ts';
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
  findUnknownSource,
  listSources,
  removeSource,
  requireSource,
  startAccountWithKnowledge,
} from './sources/knowledge.sources.ts';
export {
  findReview,
  scheduledSyncJobKind,
  selectRunsByKeys,
  syncJobKind,
} from './websites/knowledge.runs.ts';
