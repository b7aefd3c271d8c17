/**
 * The store: each card, task, comment, conversation and message once, as the service said last, and over it the edits of
 * changes that it has not answered. Views show what `findThing` returns; lists.ts has which of them each list shows.
 */
import { notifyManager } from '@tanstack/react-query';
import type { CrmRecord, RecordUpdate } from '../../../../contract/crm/records.ts';
import type { Comment, Task } from '../../../../contract/crm/tasks.ts';
import type { Card, InboxSession } from '../../../../contract/dashboard.ts';
import type { Message } from '../../../../contract/messaging/messages.ts';
import type { Session } from '../../../../contract/messaging/sessions.ts';
import { BoundedMap } from '../bounded-map.ts';

/** A message knows neither its conversation nor a version. */
export type ChatMessage = Message & { sessionId: string };

export interface Kinds {
  record: Card;
  task: Task;
  comment: Comment;
  session: InboxSession;
  message: ChatMessage;
}
export type Kind = keyof Kinds;

/** As the service sends it, perhaps without some parts. */
export interface Heard {
  record: CrmRecord | Card;
  task: Task;
  comment: Comment;
  session: Session & Partial<Pick<InboxSession, 'blocked' | 'lastMessage'>>;
  message: ChatMessage;
}

export interface Updates {
  record: RecordUpdate;
  task: Partial<Task>;
  comment: Partial<Comment>;
  session: Partial<InboxSession>;
  message: Partial<Message>;
}

/** What a change shows before it is answered. It is stored with the change, so it is plain JSON. */
export type Edit = {
  [K in Kind]: { kind: K; id: string } & ({ create: Kinds[K] } | { update: Updates[K] } | { remove: true });
}[Kind];

interface Rules<K extends Kind> {
  idOf(one: Heard[K]): string;
  /** What the service left out stays as it was, and so does everything if what it sent is older. */
  joined(heard: Heard[K], known: Kinds[K] | undefined): Kinds[K];
  /** Without it the update replaces values. */
  updated?(one: Kinds[K], update: Updates[K]): Kinds[K];
}

/** What is older changes nothing. */
export const newer = <One extends { updatedAt: number }>(heard: One, known: One | undefined): One =>
  known && known.updatedAt > heard.updatedAt ? known : heard;

const rules = {
  record: {
    idOf: ({ recordId }) => recordId,
    joined(heard, known) {
      const { conversation = null, tasks = { open: 0, nextDueAt: null } } = known ?? {};
      return newer({ conversation, tasks, ...heard }, known);
    },
    updated: updatedRecord,
  },
  task: { idOf: ({ taskId }) => taskId, joined: newer },
  comment: { idOf: ({ commentId }) => commentId, joined: newer },
} as { [K in Kind]: Rules<K> };

/** For kinds that the first view does not show. */
export const addKind = <K extends Kind>(kind: K, own: (typeof rules)[K]) => {
  rules[kind] = own;
};

/** `null` clears a value, as in the API. */
function updatedRecord(record: Card, update: RecordUpdate): Card {
  const { customFields, addLabelIds = [], removeLabelIds = [], ...rest } = update;
  const values = { ...record.customFields };
  for (const [id, value] of Object.entries(customFields ?? {})) {
    if (value === null) delete values[id];
    else values[id] = value;
  }
  const kept = record.labelIds.filter((id) => !removeLabelIds.includes(id));
  const labelIds = [...new Set([...kept, ...addLabelIds])];
  return { ...record, labelIds, ...rest, customFields: values };
}

const known: { [K in Kind]: Map<string, Kinds[K]> } = {
  record: new Map(),
  task: new Map(),
  comment: new Map(),
  session: new Map(),
  message: new Map(),
};
/** An answer that was read before the deletion does not bring it back. */
let deleted = new BoundedMap<true>({ max: 5_000 });
/** By thing, oldest first. */
const edits = new Map<string, Edit[]>();
/** What is shown of the things that have edits. */
const edited = new Map<string, Kinds[Kind] | null>();

/** Of what a change creates, until the service has given it an id. */
export const newThingId = (changeId: string) => `new-${changeId}`;
export const isNewThing = (id: string) => id.startsWith('new-');

const nameOf = (kind: Kind, id: string) => `${kind} ${id}`;

/** Null: unknown, or deleted. */
export function findThing<K extends Kind>(kind: K, id: string): Kinds[K] | null {
  const name = nameOf(kind, id);
  if (edits.has(name)) return edited.get(name) as Kinds[K] | null;
  return known[kind].get(id) ?? null;
}

/** What the service has said, without what is being created. */
export const all = <K extends Kind>(kind: K): Kinds[K][] => [...known[kind].values()];

export const isKnown = (kind: Kind, id: string): boolean => known[kind].has(id);

export const isEdited = (kind: Kind, id: string): boolean => edits.has(nameOf(kind, id));

/** `isRead`: a list or a thing was read; otherwise it was changed, here or elsewhere. */
export type Shown = {
  [K in Kind]: { kind: K; id: string; before: Kinds[K] | null; after: Kinds[K] | null; isRead: boolean };
}[Kind];
const shownListeners = new Set<(what: Shown) => void>();
export const onShown = (listener: (what: Shown) => void) => void shownListeners.add(listener);

const heardListeners = new Set<(clientId: string) => void>();
export const onCreated = (listener: (clientId: string) => void) => void heardListeners.add(listener);

function change<K extends Kind>(kind: K, id: string, isRead: boolean, run: () => void): void {
  const before = findThing(kind, id);
  run();
  const name = nameOf(kind, id);
  const own = edits.get(name);
  if (own) edited.set(name, own.reduce(withEdit, (known[kind].get(id) ?? null) as Kinds[Kind] | null));
  else edited.delete(name);
  const after = findThing(kind, id);
  if (before === after) return;
  notifyManager.batch(() => {
    for (const listener of shownListeners) listener({ kind, id, before, after, isRead } as Shown);
  });
}

function withEdit(one: Kinds[Kind] | null, edit: Edit): Kinds[Kind] | null {
  if ('remove' in edit) return null;
  if ('create' in edit) return edit.create;
  if (!one) return null;
  const { updated } = rules[edit.kind] as Rules<Kind>;
  return updated ? updated(one, edit.update as Updates[Kind]) : { ...one, ...(edit.update as object) };
}

/** The service has created what the client gave this id: an answer or a live change says so. */
export function hearCreated(clientId: string): void {
  for (const listener of heardListeners) listener(clientId);
}

/** What the service sent. Something older than what is known is skipped. Returns its id. */
export function hear<K extends Kind>(kind: K, heard: Heard[K], { isRead = false } = {}): string {
  const id = rules[kind].idOf(heard);
  if (deleted.get(nameOf(kind, id))) return id;
  notifyManager.batch(() => {
    const { clientId } = heard as { clientId?: string | null };
    if (clientId) hearCreated(clientId);
    const before = known[kind].get(id);
    change(kind, id, isRead, () => known[kind].set(id, rules[kind].joined(heard, before)));
  });
  return id;
}

/** Parts that have no version of their own, such as the conversation of a card. */
export function patch<K extends Kind>(kind: K, id: string, parts: Partial<Kinds[K]>): void {
  const before = known[kind].get(id);
  if (before) change(kind, id, false, () => known[kind].set(id, { ...before, ...parts }));
}

/** The service has deleted it. */
export function hearDeleted(kind: Kind, id: string): void {
  deleted.set(nameOf(kind, id), true);
  hearHidden(kind, id);
}

/** This person may not see it any more, or it was deleted. It may come back. */
export function hearHidden(kind: Kind, id: string): void {
  change(kind, id, false, () => known[kind].delete(id));
}

/** Returns what takes the edits away again. */
export function addEdits(added: readonly Edit[]): () => void {
  notifyManager.batch(() => {
    for (const edit of added) {
      const name = nameOf(edit.kind, edit.id);
      change(edit.kind, edit.id, false, () => edits.set(name, [...(edits.get(name) ?? []), edit]));
    }
  });
  let isOver = false;
  return () => {
    if (isOver) return;
    isOver = true;
    notifyManager.batch(() => {
      for (const edit of added) {
        const name = nameOf(edit.kind, edit.id);
        change(edit.kind, edit.id, false, () => {
          const left = (edits.get(name) ?? []).filter((one) => one !== edit);
          if (left.length > 0) edits.set(name, left);
          else edits.delete(name);
        });
      }
    });
  };
}

/** What has edits: a list that is read does not have them. */
export const editedIds = (kind: Kind): string[] =>
  [...edits.values()].flatMap(([first]) => (first?.kind === kind ? first.id : []));

/** Forgets what no list shows any more. */
export function keepOnly(used: ReadonlyMap<Kind, ReadonlySet<string>>): void {
  for (const [kind, things] of Object.entries(known) as [Kind, Map<string, unknown>][]) {
    for (const id of things.keys()) {
      if (!used.get(kind)?.has(id) && !edits.has(nameOf(kind, id))) things.delete(id);
    }
  }
}

/** The answer of a change, if it is the thing itself. Some have a part of it, or another thing. */
export function hearAnswer(edit: Edit, answer: { updatedAt?: number }): void {
  // A change of an earlier page may be of a kind that is not needed here.
  const id = rules[edit.kind]?.idOf(answer as never);
  if (answer.updatedAt && ('create' in edit ? id : id === edit.id))
    hear<Kind>(edit.kind, answer as Heard[Kind]);
}

export function forgetAll(): void {
  for (const map of Object.values(known)) map.clear();
  deleted = new BoundedMap<true>({ max: 5_000 });
  edits.clear();
  edited.clear();
}
