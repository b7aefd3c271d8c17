/** The requests of a simulation. Each checks its answer as far as it can, and writes what was acknowledged into the books. */
import type { Random } from '../corpus/random.ts';
import type { SimulatedAccount } from './accounts.ts';
import type { Answer, Ask, Balancer } from './balancer.ts';
import type { Books } from './books.ts';

export interface TrafficDeps {
  balancer: Balancer;
  books: Books;
  random: Random;
}

type Work = (account: SimulatedAccount) => Promise<unknown>;

/** Of a hundred requests. Reads are frequent, as in every CRM. */
const shares = { get: 30, list: 15, create: 15, search: 10, inbox: 10, send: 10, thread: 5, widget: 5 };
export type Kind = keyof typeof shares;
export const kinds = Object.keys(shares) as Kind[];
export const shareOf = (kind: Kind): number => shares[kind] / 100;

export interface Traffic {
  draw(): Kind;
  run(kind: Kind, account: SimulatedAccount): Promise<unknown>;
}

/** Known to the offline agent of every new account. */
const question = 'What is Talkboard?';
/** Few, so that customers come back to their conversation. */
const sessionsPerAccount = 12;
const pageSize = 20;

export function openTraffic({ balancer, books, random }: TrafficDeps): Traffic {
  let counter = 0;
  const unique = () => (++counter).toString(36).padStart(6, '0');
  const get = (kind: Kind, account: SimulatedAccount, path: string, more: Partial<Ask> = {}) =>
    balancer.ask({ kind, account, method: 'GET', path, ...more });
  const post = (kind: Kind, account: SimulatedAccount, path: string, body: object, more: Partial<Ask> = {}) =>
    balancer.ask({ kind, account, method: 'POST', path, body, ...more });

  /** Any that must be there. */
  const knownRecord = (account: SimulatedAccount): [string, string] => {
    const { records } = books.of(account.id);
    const own = records.size > 0 && random.chance(0.5) ? records : account.sample;
    return [...own.entries()][random.below(own.size)]!;
  };
  const belongs = (answer: Answer, kind: Kind, account: SimulatedAccount, nameOf: (item: Item) => string) => {
    for (const item of answer.body.items as Item[]) {
      const name = nameOf(item);
      if ((item.accountId ?? account.id) !== account.id || !name.startsWith(account.tag)) {
        books.wrong(`${kind} of ${account.tag} answered with "${name}"`);
      }
    }
  };

  const works: Record<Kind, Work> = {
    async get(account) {
      const [id, title] = knownRecord(account);
      const answer = await get('get', account, `/crm/records/${id}`);
      if (answer && (answer.body.title !== title || answer.body.accountId !== account.id)) {
        books.wrong(`get of ${account.tag} answered "${answer.body.title}" instead of "${title}"`);
      }
    },
    async list(account) {
      const answer = await get('list', account, `/crm/records?limit=${pageSize}`);
      if (answer) belongs(answer, 'list', account, ({ title }) => title ?? '');
    },
    async create(account) {
      const title = `${account.tag} Ada Lovelace k${unique()}`;
      const book = books.of(account.id);
      // Before the request: a reader may see it before its answer arrives.
      book.maybeRecords.add(title);
      const answer = await post('create', account, '/crm/records', { title });
      if (!answer) return;
      book.records.set(answer.body.recordId, title);
      book.maybeRecords.delete(title);
    },
    async search(account) {
      const [id, title] = knownRecord(account);
      const answer = await get('search', account, `/crm/search?q=${encodeURIComponent(title)}`);
      if (!answer) return;
      belongs(answer, 'search', account, (item) => item.title ?? '');
      if (!answer.body.items.some((item: Item) => item.recordId === id)) {
        books.wrong(`search of ${account.tag} did not find "${title}"`);
      }
    },
    async inbox(account) {
      const answer = await get('inbox', account, '/sessions?limit=20');
      if (answer) belongs(answer, 'inbox', account, ({ sessionName }) => sessionName ?? '');
    },
    async send(account) {
      const sessionId = `${account.tag}-s${random.below(sessionsPerAccount)}`;
      const content = `${question} k${unique()}`;
      const book = books.of(account.id);
      book.maybeMessages.add(content);
      const sessionName = `${account.tag} customer ${sessionId}`;
      const body = { fromChannelIdentifier: 'api', sessionId, sessionName, content };
      const answer = await post('send', account, '/messages', body);
      if (!answer) return;
      book.messages.set(answer.body.userMessage.id, content);
      book.maybeMessages.delete(content);
      book.sessions.add(sessionId);
    },
    async thread(account) {
      const { sessions, messages, maybeMessages } = books.of(account.id);
      if (sessions.size === 0) return works.inbox(account);
      const sessionId = [...sessions][random.below(sessions.size)]!;
      const answer = await get('thread', account, `/sessions/${sessionId}/messages?limit=${pageSize}`);
      for (const { id, role, content } of answer?.body.items ?? []) {
        if (role === 'user' && !messages.has(id) && !maybeMessages.has(content)) {
          books.wrong(`thread of ${account.tag} answered with "${content}"`);
        }
      }
    },
    async widget(account) {
      const number = ++counter;
      const address = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
      const visitor = { address, token: null };
      const start = { channel: account.webChannelId, name: `${account.tag} visitor ${number}` };
      const started = await post('widget', account, '/widget/sessions', start, visitor);
      if (!started) return;
      const token = started.body.token as string;
      const content = `${question} k${unique()}`;
      const book = books.of(account.id);
      book.maybeMessages.add(content);
      const said = { clientId: `visitor-message-${number}`, content };
      const answer = await post('widget', account, '/widget/messages', said, { address, token });
      if (!answer) return;
      book.messages.set(answer.body.id, content);
      book.maybeMessages.delete(content);
      const history = await get('widget', account, '/widget/messages', { address, token });
      if (history && !history.body.messages.some((one: { text: string }) => one.text === content)) {
        books.wrong(`widget of ${account.tag} did not show "${content}"`);
      }
    },
  };

  const deck = kinds.flatMap((kind) => Array<Kind>(shares[kind]).fill(kind));
  return {
    draw: () => random.pick(deck),
    // An answer of another shape than expected.
    run: (kind, account) =>
      works[kind](account).catch((error: Error) => books.wrong(`${kind} of ${account.tag}: ${error.stack}`)),
  };
}

interface Item {
  accountId?: string;
  recordId?: string;
  title?: string;
  sessionName?: string;
}
