/**
 * The visitor's conversation: received and outgoing messages, and who is present. Messages are identified by ID, own ones
 * also by their client ID, so that duplicates are dropped.
 */
import { randomId } from '../../browser/random-id.ts';
import type {
  VisitorAttachment,
  VisitorMessage,
  VisitorServerFrame,
  VisitorState,
} from '../../contract/widget/widget-protocol.ts';
import { Refused, readOlder, sendMessage, sendReaction, sendReceipt, upload } from './api.ts';
import { tellHost } from './host.ts';
import { Live } from './live.ts';
import { t } from './texts.ts';

/** A message that the service does not have yet. */
export interface Outgoing {
  clientId: string;
  text: string;
  at: number;
  attachments: VisitorAttachment[];
  wantsPerson?: boolean;
  /** Not uploaded yet; lost when the page is closed. */
  file?: { blob: Blob; name: string };
  /** Why the service refused it: `text` in the visitor's language where there is one, `detail` in the service's words. */
  problem?: { text: string | null; detail: string };
}

type Connection = 'connecting' | 'online' | 'offline' | 'unreachable';
const typingForMs = 6_000;
/** An assistant that has not answered by then may not at all. */
const answerWithinMs = 20_000;

export class Chat {
  readonly #messages = new Map<string, VisitorMessage>();
  outgoing: Outgoing[] = [];
  state: VisitorState = { answering: 'assistant', name: null, unseen: 0, resolvedAt: null };
  /** The messages of the service have arrived once. */
  hasBegun = false;
  connection: Connection = 'connecting';
  older: string | null = null;
  isLoadingOlder = false;
  typing: string | null = null;
  isAnswerExpected = false;
  token = '';
  #since = 0;
  #isOpen = false;
  #reached = { delivered: 0, read: 0 };
  #isSending = false;
  #pause = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #typingEnds: ReturnType<typeof setTimeout> | undefined;
  #answerEnds: ReturnType<typeof setTimeout> | undefined;
  #receipt: ReturnType<typeof setTimeout> | undefined;
  readonly #live: Live;
  /** Called after every change. */
  onChange = () => {};

  constructor() {
    this.#live = new Live({
      place: () => ({
        position: Math.max(0, ...[...this.#messages.values()].map((one) => one.position)),
        since: this.#since,
      }),
      onFrame: (frame) => this.#hear(frame),
      onState: (state) => {
        this.connection = state;
        if (state === 'online') void this.#send();
        this.onChange();
      },
      onRefused: () => tellHost({ type: 'start' }),
    });
    document.addEventListener('visibilitychange', () => this.#acknowledge());
  }

  get messages(): VisitorMessage[] {
    return [...this.#messages.values()].sort((a, b) => a.position - b.position);
  }

  /** The service takes files only in a conversation that has begun; what is queued before them is sent before them. */
  get mayUpload(): boolean {
    return this.#messages.size > 0 || this.outgoing.some(({ text, problem }) => text !== '' && !problem);
  }

  begin(queue: unknown): void {
    const kept = Array.isArray(queue) ? (queue as Outgoing[]) : [];
    this.outgoing = kept.filter((one) => typeof one?.clientId === 'string' && typeof one.text === 'string');
    this.onChange();
  }

  use(token: string): void {
    if (this.token && this.token !== token && sessionIn(token) !== sessionIn(this.token)) this.#forget();
    this.token = token;
    this.#live.use(token);
    void this.#send();
  }

  unreachable(): void {
    this.connection = 'unreachable';
    this.onChange();
  }

  set isOpen(isOpen: boolean) {
    this.#isOpen = isOpen;
    this.#acknowledge();
  }

  say(text: string, more: Pick<Outgoing, 'file' | 'wantsPerson'> = {}): void {
    this.outgoing.push({ clientId: randomId(), text, at: Date.now(), attachments: [], ...more });
    this.#keep();
    this.onChange();
    void this.#send();
  }

  retry(clientId: string): void {
    for (const one of this.outgoing) if (one.clientId === clientId) delete one.problem;
    this.onChange();
    void this.#send();
  }

  discard(clientId: string): void {
    this.outgoing = this.outgoing.filter((one) => one.clientId !== clientId);
    this.#keep();
    this.onChange();
    void this.#send();
  }

  write(isTyping: boolean): void {
    this.#live.say({ type: 'typing', isTyping });
  }

  async loadOlder(): Promise<void> {
    if (!this.older || this.isLoadingOlder) return;
    this.isLoadingOlder = true;
    this.onChange();
    try {
      const page = await readOlder(this.token, this.older);
      for (const message of page.messages) this.#messages.set(message.id, message);
      this.older = page.older;
    } catch {
      // The button stays.
    }
    this.isLoadingOlder = false;
    this.onChange();
  }

  react(message: VisitorMessage, emoji: string | null): void {
    const before = message.reactions;
    this.#messages.set(message.id, { ...message, reactions: emoji ? [emoji] : [] });
    this.onChange();
    sendReaction(this.token, message.id, emoji).catch(() => {
      this.#messages.set(message.id, { ...message, reactions: before });
      this.onChange();
    });
  }

  #hear(frame: VisitorServerFrame): void {
    switch (frame.type) {
      case 'hello':
        if (frame.reset) {
          this.#messages.clear();
          this.older = frame.older;
        }
        for (const message of frame.messages) this.#take(message);
        this.#since = frame.time;
        this.hasBegun = true;
        this.state = frame.state;
        break;
      case 'message':
        this.#take(frame.message);
        break;
      case 'state':
        this.state = frame.state;
        if (frame.state.answering !== 'assistant') this.#expectAnswer(false);
        break;
      case 'typing':
        this.#setTyping(frame.isTyping ? frame.name : null);
        break;
      case 'heartbeat':
        return;
    }
    this.onChange();
    this.#acknowledge();
  }

  #take(message: VisitorMessage): void {
    const isNew = !this.#messages.has(message.id);
    this.#messages.set(message.id, message);
    if (message.clientId) this.#settle(message.clientId);
    if (isNew && message.from !== 'customer') {
      this.#setTyping(null);
      this.#expectAnswer(false);
    }
  }

  #settle(clientId: string): void {
    const before = this.outgoing.length;
    this.outgoing = this.outgoing.filter((one) => one.clientId !== clientId);
    if (this.outgoing.length !== before) this.#keep();
  }

  /** Sent in the order of writing. A rejected message does not block the next ones. */
  async #send(): Promise<void> {
    if (this.#isSending || !this.token) return;
    this.#isSending = true;
    clearTimeout(this.#retry);
    try {
      for (;;) {
        const next = this.outgoing.find(({ problem }) => !problem);
        if (!next) return;
        await this.#sendOne(next).catch((error) => this.#refuse(next, error));
        this.#pause = 0;
        this.onChange();
      }
    } catch (error) {
      this.#tryLater(error);
    } finally {
      this.#isSending = false;
    }
  }

  async #sendOne(next: Outgoing): Promise<void> {
    if (next.file) {
      next.attachments = [await upload(this.token, next.file.blob, next.file.name)];
      delete next.file;
      this.#keep();
    }
    const { clientId, text, attachments, wantsPerson } = next;
    const message = { clientId, content: text, attachments, wantsPerson };
    const { id, position, at } = await sendMessage(this.token, message);
    if (!this.#messages.has(id)) {
      const own = { from: 'customer', name: null, status: null } as const;
      const none = { reactions: [], citations: [] };
      this.#messages.set(id, { ...own, ...none, id, position, at, text, attachments, clientId });
    }
    this.#settle(clientId);
    if (this.state.answering === 'assistant' && !wantsPerson) this.#expectAnswer(true);
  }

  /** Permanent rejections are shown. Throws errors that a retry may fix. */
  #refuse(message: Outgoing, error: unknown): void {
    if (!(error instanceof Refused)) throw error;
    const { status, code } = error;
    const isFinal = status >= 400 && status < 500 && ![401, 408, 429].includes(status);
    // A full disk may have space later, but a retry would upload the whole file in vain.
    if (!isFinal && code !== 'DISK_FULL') throw error;
    message.problem = { text: problemOf(error), detail: error.message };
  }

  #tryLater(error: unknown): void {
    if (error instanceof Refused && error.status === 401) {
      tellHost({ type: 'start' });
      return;
    }
    this.#pause = Math.min(Math.max(500, this.#pause * 2), 10_000);
    this.#retry = setTimeout(() => void this.#send(), this.#pause);
  }

  #setTyping(name: string | null): void {
    clearTimeout(this.#typingEnds);
    this.typing = name;
    if (name === null) return;
    this.#typingEnds = setTimeout(() => {
      this.typing = null;
      this.onChange();
    }, typingForMs);
  }

  #expectAnswer(isExpected: boolean): void {
    clearTimeout(this.#answerEnds);
    this.isAnswerExpected = isExpected;
    if (!isExpected) return;
    this.#answerEnds = setTimeout(() => {
      this.isAnswerExpected = false;
      this.onChange();
    }, answerWithinMs);
  }

  /** Reports the read position to the service and the unread count to the page. */
  #acknowledge(): void {
    const theirs = this.messages.filter(({ from }) => from !== 'customer');
    const isRead = this.#isOpen && document.visibilityState === 'visible';
    tellHost({ type: 'unread', count: isRead ? 0 : theirs.filter(({ status }) => status !== 'read').length });
    const status = isRead ? 'read' : 'delivered';
    const last = theirs.findLast((one) => one.status !== 'read' && (isRead || one.status !== 'delivered'));
    if (!last || last.position <= this.#reached[status] || !this.token) return;
    clearTimeout(this.#receipt);
    this.#receipt = setTimeout(() => {
      sendReceipt(this.token, last.position, status).then(
        () => {
          this.#reached[status] = Math.max(this.#reached[status], last.position);
        },
        () => {},
      );
    }, 200);
  }

  #keep(): void {
    const queue = this.outgoing.filter(({ file }) => !file).map(({ problem: _problem, ...rest }) => rest);
    tellHost({ type: 'keep', queue });
  }

  #forget(): void {
    this.#messages.clear();
    this.outgoing = [];
    this.#since = 0;
    this.#reached = { delivered: 0, read: 0 };
    this.#keep();
  }
}

function problemOf({ status, code }: Refused): string | null {
  if (code === 'STORAGE_QUOTA') return t('filesLimit');
  if (code === 'DISK_FULL') return t('noSpace');
  return status === 403 ? t('writeFirst') : null;
}

/** The token contains the conversation's ID, which tells a renewed token from another conversation's. */
function sessionIn(token: string): string {
  try {
    const text = atob(token.slice(4).replaceAll('-', '+').replaceAll('_', '/'));
    return /web-[A-Za-z0-9_-]+/.exec(text.slice(32))?.[0] ?? token;
  } catch {
    return token;
  }
}
