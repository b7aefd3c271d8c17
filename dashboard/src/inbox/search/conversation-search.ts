/** `/inbox/<conversation>?message=<id>&q=<text>`: opened at a message, found by a text. */
export interface ConversationSearch {
  message?: string;
  q?: string;
}

export function readConversationSearch(search: { [name: string]: unknown }): ConversationSearch {
  const text = (value: unknown) =>
    typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
  return { message: text(search.message), q: text(search.q) };
}
