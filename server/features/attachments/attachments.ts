/** What other features may use of attachments. */
export {
  type FileDeps,
  findStoredFile,
  keepTranscript,
  storeConverted,
  withLocalFile,
} from './attachments.derive.ts';
export type { StoredFile } from './attachments.sql.ts';
