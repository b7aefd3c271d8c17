/**
 * Which messages an agent may still answer, and what became of each. A message asks for a reply when it is written; a
 * pause, a transfer or a block takes the permission away in its own transaction; ai-replies uses it.
 */
export {
  endTranscriptWait,
  hasPermission,
  insertPastReplies,
  insertReplyLog,
  insertReplyLogs,
  logSuppressed,
  type PendingReply,
  passPermission,
  permitReplies,
  realignReplies,
  selectPendingReplies,
  selectReplyLog,
  suppressReplies,
  suppressRepliesTo,
  takeEachPermission,
  takePermissions,
} from './pending-replies.sql.ts';
