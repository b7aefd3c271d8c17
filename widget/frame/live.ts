/** The live connection of the widget. It reconnects after every loss and then requests what it missed. */
import {
  type VisitorClientFrame,
  type VisitorServerFrame,
  widgetCloseCodes,
  widgetLimits,
} from '../../contract/widget/widget-protocol.ts';
import { origin } from './api.ts';

export interface LiveOptions {
  /** The last position of this side. */
  place(): { position: number; since: number };
  onFrame(frame: VisitorServerFrame): void;
  onState(state: 'connecting' | 'online' | 'offline'): void;
  onRefused(): void;
}

const longestPauseMs = 10_000;
/** The number of attempts after which the delay no longer grows. */
const longestPauseTries = 5;
/** Heartbeats come twice within this. */
const silentForMs = widgetLimits.heartbeatSeconds * 2_000 + 5_000;

export class Live {
  readonly #options: LiveOptions;
  #token = '';
  #socket: WebSocket | null = null;
  #tries = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;

  constructor(options: LiveOptions) {
    this.#options = options;
    addEventListener('online', () => this.#connect());
    addEventListener('offline', () => this.#lose());
  }

  use(token: string): void {
    this.#token = token;
    this.#tries = 0;
    this.#connect();
  }

  say(frame: VisitorClientFrame): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }

  #connect(): void {
    clearTimeout(this.#timer);
    this.#drop();
    if (!this.#token) return;
    this.#options.onState('connecting');
    // The frame's own query names the channel: the service finds the account's database by it.
    const socket = new WebSocket(`${origin.replace(/^http/, 'ws')}/widget/live${location.search}`);
    this.#socket = socket;
    this.#listen();
    socket.onopen = () => this.say({ type: 'hello', token: this.#token, ...this.#options.place() });
    socket.onmessage = ({ data }) => {
      const frame = JSON.parse(data) as VisitorServerFrame;
      this.#listen();
      if (frame.type === 'hello') {
        this.#tries = 0;
        this.#options.onState('online');
      }
      this.#options.onFrame(frame);
    };
    socket.onclose = ({ code }) => {
      if (this.#socket !== socket) return;
      if (code === widgetCloseCodes.refused) {
        this.#token = '';
        this.#options.onRefused();
      }
      // Other tabs of the visitor have all the connections: trying often does not help.
      if (code === widgetCloseCodes.tooMany) this.#tries = longestPauseTries;
      this.#lose();
    };
  }

  /** A connection may die without a close event. */
  #listen(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#lose(), silentForMs);
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = null;
    clearTimeout(this.#silence);
    socket?.close();
  }

  #lose(): void {
    this.#drop();
    this.#options.onState('offline');
    clearTimeout(this.#timer);
    const pause = Math.min(500 * 2 ** this.#tries++, longestPauseMs);
    this.#timer = setTimeout(() => this.#connect(), pause * (0.75 + Math.random() / 2));
  }
}
