/**
 * Which messages an agent may still answer, and what became of each. A message asks for a reply when it is written; a
 * pause, a transfer or a block takes the permission away in its own transaction; ai-replies uses it.
 */
export {
  costOfAgent,
  countRepliesOf,
  endTranscriptWait,
  hasFailedReply,
  hasPermission,
  insertPastReplies,
  logReplies,
  logSuppressed,
  type PendingReply,
  passPermission,
  permitReplies,
  type ReplyLogEntry,
  realignReplies,
  selectPendingReplies,
  selectReplyLog,
  suppressReplies,
  suppressRepliesTo,
  takePermissions,
} from './pending-replies.sql.ts';
export {
  findSameCall,
  findToolCall,
  hasWaitingCall,
  insertToolCall,
  moveToolCall,
  type NewCall,
  type StoredCall,
  selectToolCalls,
} from './tool-calls.sql.ts';
