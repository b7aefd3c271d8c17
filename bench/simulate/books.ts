/** What the clients of a simulation know for sure: every write that the service has acknowledged, and what else may exist. */

export interface AccountBook {
  /** Acknowledged: title by id. */
  records: Map<string, string>;
  /** Sent, but the answer never came or was a 503: there or not, but never twice. */
  maybeRecords: Set<string>;
  /** Acknowledged: text by id. */
  messages: Map<string, string>;
  maybeMessages: Set<string>;
  /** Conversations that an acknowledged message opened through the API. */
  sessions: Set<string>;
}

export interface Books {
  of(accountId: string): AccountBook;
  /** Only accounts that were written to. */
  all(): ReadonlyMap<string, AccountBook>;
  /** A response that no client may get, also while the service is failing. */
  wrong(what: string): void;
  wrongAnswers(): readonly string[];
  acknowledged(): number;
}

export function openBooks(): Books {
  const books = new Map<string, AccountBook>();
  const wrongAnswers: string[] = [];
  return {
    of(accountId) {
      const known = books.get(accountId);
      if (known) return known;
      const book: AccountBook = {
        records: new Map(),
        maybeRecords: new Set(),
        messages: new Map(),
        maybeMessages: new Set(),
        sessions: new Set(),
      };
      books.set(accountId, book);
      return book;
    },
    all: () => books,
    wrong: (what) => void wrongAnswers.push(what),
    wrongAnswers: () => wrongAnswers,
    acknowledged() {
      let sum = 0;
      for (const { records, messages } of books.values()) sum += records.size + messages.size;
      return sum;
    },
  };
}
