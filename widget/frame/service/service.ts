/** What the chat offers besides messages: a person, name and e-mail, a rating, the chat by e-mail. */
import type { WidgetService } from '../../../contract/widget/widget-protocol.ts';
import { post, Refused, readRating } from '../api.ts';
import type { Chat } from '../chat.ts';
import { tellHost } from '../host.ts';
import { spoken, t } from '../texts.ts';

export interface VisitorSelf {
  isKnown: boolean;
  name: string | null;
  email: string | null;
}

/** What the visitor has finished with; the page stores it. */
interface Done {
  asked?: boolean;
  /** The resolution whose rating was hidden. */
  rated?: number;
}

export class Service {
  readonly offers: WidgetService;
  self: VisitorSelf = { isKnown: false, name: null, email: null };
  done: Done = {};
  readonly #chat: Chat;
  #wantsPerson = false;
  #lastRating: Promise<unknown> = Promise.resolve();
  #isAsking = false;

  constructor(chat: Chat, offers: WidgetService) {
    this.#chat = chat;
    this.offers = offers;
  }

  finish(change: Done): void {
    this.done = { ...this.done, ...change };
    tellHost({ type: 'keep', done: this.done });
    this.#chat.onChange();
  }

  /** By the clock of this computer; the times are the service's. */
  get hours(): { isOpen: boolean; opensAt: number | null; changesAt: number | null } {
    const { hours } = this.offers;
    if (!hours) return { isOpen: true, opensAt: null, changesAt: null };
    const next = hours.changes.findIndex((at) => at > Date.now());
    const passed = next < 0 ? hours.changes.length : next;
    const isOpen = passed % 2 === 0 ? hours.isOpen : !hours.isOpen;
    const changesAt = hours.changes[passed] ?? null;
    return { isOpen, opensAt: isOpen ? null : changesAt, changesAt };
  }

  /** Whether the visitor is asked who they are before they can write. */
  get isAsked(): boolean {
    const { ask } = this.offers;
    if (!ask || this.self.isKnown || this.done.asked) return false;
    const isDue =
      ask.when === 'after_hours'
        ? !this.hours.isOpen
        : this.#chat.messages.length + this.#chat.outgoing.length === 0;
    const { name, email } = this.self;
    return isDue && ((ask.name !== 'off' && !name) || (ask.email !== 'off' && !email));
  }

  /** Without it, a visitor who comes back would see the form before their messages have arrived. */
  get isReady(): boolean {
    return this.offers.ask === null || this.#chat.hasBegun;
  }

  async giveDetails(details: { name: string | null; email: string | null }): Promise<void> {
    const { token, name, email } = await post<{ token: string } & VisitorSelf>(
      this.#chat.token,
      '/widget/details',
      details,
    );
    this.self = { ...this.self, name, email };
    this.#chat.token = token;
    tellHost({ type: 'keep', token });
    this.finish({ asked: true });
  }

  get offersPerson(): boolean {
    return this.offers.talkToPerson && this.#chat.state.answering === 'assistant';
  }

  get isPersonWanted(): boolean {
    return this.#wantsPerson;
  }

  /** A conversation that has not begun begins with this. */
  requestPerson(): void {
    const { messages, outgoing } = this.#chat;
    if (messages.length + outgoing.length === 0) {
      this.#chat.say(t('personMessage'), { wantsPerson: true });
      return;
    }
    this.#wantsPerson = true;
    this.#chat.onChange();
  }

  /** After every change: asks as soon as the service has the messages written before. */
  settle(onFailed: () => void): void {
    const { messages, outgoing } = this.#chat;
    const waits = outgoing.some(({ problem }) => !problem);
    if (!this.#wantsPerson || this.#isAsking || waits || messages.length === 0) return;
    this.#isAsking = true;
    post(this.#chat.token, '/widget/person')
      .catch((error) => {
        if (!(error instanceof Refused) || error.status >= 500) throw error;
        onFailed();
      })
      .then(
        () => {
          this.#isAsking = false;
          this.#wantsPerson = false;
          this.#chat.onChange();
        },
        // Without a network: again in a while. Until then it counts as asking, as every change calls this.
        () =>
          setTimeout(() => {
            this.#isAsking = false;
            this.settle(onFailed);
          }, 3_000),
      );
  }

  get ratesResolution(): number | null {
    const { resolvedAt } = this.#chat.state;
    return this.offers.askRating && resolvedAt !== this.done.rated ? resolvedAt : null;
  }

  readRating = () => readRating(this.#chat.token);

  /** One after the other: two under way could arrive in the other order. */
  rate(score: number, comment: string): Promise<unknown> {
    const sent = this.#lastRating.then(() => post(this.#chat.token, '/widget/rating', { score, comment }));
    this.#lastRating = sent.catch(() => {});
    return sent;
  }

  /** The service sends it only to the address that the conversation has. */
  async sendTranscript(email: string): Promise<void> {
    const { isKnown, email: known } = this.self;
    if (!isKnown && email.toLowerCase() !== known?.toLowerCase()) {
      await this.giveDetails({ name: null, email });
    }
    await post(this.#chat.token, '/widget/transcript', { email, language: spoken() });
  }
}
