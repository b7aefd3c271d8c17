/** Lets other parts of a conversation write into its composer. */
const composers = new Map<string, (text: string) => void>();

export function onInsertRequest(sessionId: string, insert: (text: string) => void): () => void {
  composers.set(sessionId, insert);
  return () => void (composers.get(sessionId) === insert && composers.delete(sessionId));
}

export const requestInsert = (sessionId: string, text: string) => composers.get(sessionId)?.(text);
