/** Moves cards by hand: shown at once, read again when the service refuses. */
import type { CrmRecord } from '../../../../contract/crm/records.ts';
import type { Card } from '../../../../contract/dashboard.ts';
import { api } from '../../data/api.ts';
import { OtherPersonError } from '../../data/errors.ts';
import { queryClient } from '../../data/query-client.ts';
import { readAgainIfUnderWay, refresh } from '../../data/refresh.ts';
import { startChange } from '../../data/store/changes.ts';
import { findThing } from '../../data/store/entities.ts';
import { hasInPages, type Ids } from '../../data/store/lists.ts';
import { noteOwnEdit } from '../../record/own-edits.ts';
import { shownTitle } from '../../texts/customer-name.ts';
import { t, tn } from '../../texts/texts.ts';
import { toast } from '../../ui/overlays/toast.tsx';
import { moveCards } from './board-actions.ts';
import { boardKeys } from './board-data.ts';
import { type filterQuery, manualOrder } from './board-look.ts';
import { asMove } from './moves.ts';

export type CardPlace = { before: string } | { after: string };
interface Status {
  value: string;
  label: string;
}

/** The cards come one after the other, in their order. */
export async function moveBeside(
  cards: readonly Card[],
  status: Status,
  place: CardPlace,
  { isUndo = false } = {},
): Promise<boolean> {
  const kanbanId = cards[0]!.kanbanId;
  const ids = new Set(cards.map(({ recordId }) => recordId));
  const back = cards.map((card) => ({ card, place: placeNow(card, ids) }));
  const isNewStatus = cards.some((card) => card.status !== status.value);
  const places = cards.map((_, i) => (i === 0 ? place : { after: cards[i - 1]!.recordId }));
  let earlier: Promise<unknown> = Promise.resolve();
  const running = cards.map(({ recordId, status: was }, i) => {
    if (was !== status.value) noteOwnEdit(recordId, { status: status.value });
    const path = `/crm/records/${recordId}/position`;
    const body = { ...places[i], status: status.value };
    const before = earlier;
    const change = startChange<CrmRecord>(
      {
        request: { method: 'PUT', path, body },
        edits: [{ kind: 'record', id: recordId, update: { status: status.value } }],
        failed: t('board.moveFailed'),
      },
      // Each is placed beside the one before it.
      { send: (person) => before.then(() => api<CrmRecord>('PUT', path, { body, person })) },
    );
    earlier = change.ended.then(({ error, isLeft }) => {
      if (error) throw error;
      // Those after it are left too.
      if (isLeft) throw new OtherPersonError();
    });
    earlier.catch(() => {});
    putBeside(kanbanId, recordId, status.value, places[i]!);
    return change;
  });
  const sent = asMove(kanbanId, () => Promise.all(running.map(({ ended }) => ended)));
  readAgainIfUnderWay(boardKeys.allCards(kanbanId));
  const outcomes = await sent;
  if (outcomes.some(({ isLeft }) => isLeft)) return false;
  const error = outcomes.find((outcome) => outcome.error)?.error;
  if (error) {
    void refresh(boardKeys.allCards(kanbanId));
    toast.failed(t('board.moveFailed'), error, () => void moveBeside(cards, status, place));
    return false;
  }
  if (isNewStatus && !isUndo) {
    const title = shownTitle(cards[0]!.title);
    const done =
      cards.length === 1
        ? t('board.moved', { title, status: status.label })
        : tn('board.movedMany', cards.length);
    toast.undo(done, () => void putBack(back));
  }
  return true;
}

/**
 * Where the card is now, in words of its neighbour; null: it is alone. They are put back from the first to the last, so
 * only the one above may be moved too.
 */
function placeNow(card: Card, moved: ReadonlySet<string>): CardPlace | null {
  for (const [, column] of manualColumns(card.kanbanId, card.status)) {
    const ids = column.pages.flatMap((page) => page.items);
    const at = ids.indexOf(card.recordId);
    if (at < 0) continue;
    const previous = ids[at - 1];
    const next = ids.slice(at + 1).find((id) => !moved.has(id));
    if (previous) return { after: previous };
    return next ? { before: next } : null;
  }
  return null;
}

/** From the first to the last: a card may have been beside another one of them. */
async function putBack(moved: readonly { card: Card; place: CardPlace | null }[]): Promise<void> {
  for (const { card, place } of moved) {
    const now = findThing('record', card.recordId) ?? card;
    const status = { value: card.status, label: '' };
    if (place) await moveBeside([now], status, place, { isUndo: true });
    else await moveCards([now], status);
  }
}

function manualColumns(kanbanId: string, status: string): [readonly unknown[], Ids][] {
  return queryClient
    .getQueriesData<Ids>({ queryKey: boardKeys.allCards(kanbanId) })
    .flatMap(([key, column]) => {
      const { sort } = key[3] as ReturnType<typeof filterQuery>;
      return column && sort === manualOrder && key[4] === status ? [[key, column]] : [];
    });
}

function putBeside(kanbanId: string, recordId: string, status: string, place: CardPlace): void {
  const neighbourId = 'before' in place ? place.before : place.after;
  for (const [key, column] of manualColumns(kanbanId, status)) {
    if (!hasInPages(column, recordId)) continue;
    const pages = column.pages.map((page) => {
      const items = page.items.filter((one) => one !== recordId);
      const at = items.indexOf(neighbourId);
      return at < 0
        ? { ...page, items }
        : { ...page, items: items.toSpliced('before' in place ? at : at + 1, 0, recordId) };
    });
    queryClient.setQueryData<Ids>(key, { ...column, pages });
  }
}
