/** What other features may use of attachments. */
export { markAllErased, markErased, releaseFilesOf, removeOldFiles } from './attachments.access.sql.ts';
export {
  type FileDeps,
  findStoredFile,
  keepOriginal,
  keepTranscript,
  openStoredFile,
  storeConverted,
  storeOriginal,
  withLocalFile,
} from './attachments.derive.ts';
export { describeDownload, prepareDownload } from './attachments.download.ts';
export { knowledgeUpload } from './attachments.keys.ts';
export {
  erasedFilesJobKind,
  eraseFiles,
  pruneFiles,
  removeErasedFiles,
  tidyUploadJobKind,
} from './attachments.prune.ts';
export { takeUnusedUpload } from './attachments.sql.ts';
export { checkFiles, checkUploadType, essenceOf, kindOf, parseUploadType } from './attachments.types.ts';
export {
  announceUpload,
  discardUpload,
  pictureJobKind,
  receiveUpload,
  requestUpload,
  settleUploads,
  type UploadDeps,
  visitorUpload,
} from './attachments.upload.ts';
export { createFileUrls, downloadUrlOf } from './attachments.urls.ts';
export { attachFiles, fileReaderOf, prepareFiles, takePublicImages } from './attachments.use.ts';
