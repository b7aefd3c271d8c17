/** Validates client frames by hand: four small shapes, at up to 20 a second per connection. */
import type { ClientFrame } from '../../../contract/realtime.ts';

const longestId = 512;

/** Null: not part of the protocol. */
export function readClientFrame(text: string): ClientFrame | null {
  let frame: unknown;
  try {
    frame = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof frame !== 'object' || frame === null) return null;
  const { type, seq, epoch, sessionId, recordId, isTyping } = frame as { [name: string]: unknown };
  switch (type) {
    case 'ping':
      return { type };
    case 'resume':
      return Number.isSafeInteger(seq) && (seq as number) >= 0 && isText(epoch)
        ? { type, seq: seq as number, epoch }
        : null;
    case 'typing':
      return isText(sessionId) && typeof isTyping === 'boolean' ? { type, sessionId, isTyping } : null;
    case 'viewing':
      return (sessionId == null || isText(sessionId)) && (recordId == null || isText(recordId))
        ? { type, sessionId: sessionId ?? null, recordId: recordId ?? null }
        : null;
    default:
      return null;
  }
}

/** A value that the database cannot be queried for matches nothing. */
function isText(value: unknown): value is string {
  return (
    typeof value === 'string' && value.length <= longestId && !value.includes('\0') && value.isWellFormed()
  );
}
