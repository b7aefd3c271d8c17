// Which messages a caller may see and asked for, decided once per conversation and author instead of per message.

import { ALIVE, type MessageIndex, NOTE } from './message-index.ts';

export type MessageFilter = {
  /** Of operators; all boards if omitted. */
  openKanbanIds?: readonly string[] | undefined;
  channelId?: string | undefined;
  sessionIds?: readonly string[] | undefined;
  isAuthor?: ((author: string) => boolean) | undefined;
  isNote?: boolean | undefined;
  /** From `from` to before `to`, in milliseconds. */
  from?: number | undefined;
  to?: number | undefined;
};

export class CompiledFilter {
  readonly #flags: Uint8Array;
  readonly #times: Float64Array;
  readonly #sessions: Uint32Array;
  readonly #authors: Uint32Array;
  readonly #sessionPasses: Uint8Array;
  readonly #authorPasses: Uint8Array;
  /** Only the flags matter. */
  readonly #isOpen: boolean;
  readonly #flagMask: number;
  readonly #flagsWanted: number;
  readonly #from: number;
  readonly #to: number;

  constructor(index: MessageIndex, filter: MessageFilter) {
    const { isNote, isAuthor } = filter;
    this.#flags = index.flags.data;
    this.#times = index.times.data;
    this.#sessions = index.sessionOf.data;
    this.#authors = index.authorOf.data;
    this.#sessionPasses = passingSessions(index, filter);
    this.#authorPasses = Uint8Array.from(index.authors.all, (author) =>
      (isAuthor?.(author) ?? true) ? 1 : 0,
    );
    this.#flagMask = isNote === undefined ? ALIVE : ALIVE | NOTE;
    this.#flagsWanted = isNote === true ? ALIVE | NOTE : ALIVE;
    const { openKanbanIds, channelId, sessionIds, from, to } = filter;
    this.#isOpen = [openKanbanIds, channelId, sessionIds, isAuthor, from, to].every(
      (one) => one === undefined,
    );
    this.#from = filter.from ?? Number.NEGATIVE_INFINITY;
    this.#to = filter.to ?? Number.POSITIVE_INFINITY;
  }

  passes(slot: number): boolean {
    if ((this.#flags[slot]! & this.#flagMask) !== this.#flagsWanted) return false;
    return (
      this.#isOpen ||
      (this.#sessionPasses[this.#sessions[slot]!] === 1 &&
        this.#authorPasses[this.#authors[slot]!] === 1 &&
        this.#times[slot]! >= this.#from &&
        this.#times[slot]! < this.#to)
    );
  }
}

function passingSessions({ sessions }: MessageIndex, filter: MessageFilter): Uint8Array {
  const { openKanbanIds, channelId, sessionIds } = filter;
  const passes = new Uint8Array(sessions.size);
  if (sessionIds === undefined) passes.fill(1);
  else for (const id of sessionIds) if (sessions.find(id) !== -1) passes[sessions.find(id)] = 1;
  if (openKanbanIds === undefined && channelId === undefined) return passes;
  const open = openKanbanIds && new Set(openKanbanIds.map((id) => sessions.kanbans.find(id)));
  const channel = channelId === undefined ? null : sessions.channels.find(channelId);
  for (let number = 0; number < passes.length; number++) {
    if (open && !open.has(sessions.kanbanOf.data[number]!)) passes[number] = 0;
    if (channel !== null && sessions.channelOf.data[number] !== channel) passes[number] = 0;
  }
  return passes;
}
