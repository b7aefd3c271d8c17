/** Knowledge of an account: sources, documents with their versions, and the search over their passages. */
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
export { createKnowledgeSearch, type KnowledgeSearch } from './search/knowledge.search.ts';
export {
  changeSource,
  createSource,
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
