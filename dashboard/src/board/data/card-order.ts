/** Moves cards by hand: shown at once, read again when the service refuses. */
import type { InfiniteData } from '@tanstack/react-query';
import type { CrmRecord } from '../../../../contract/crm/records.ts';
import type { Card } from '../../../../contract/dashboard.ts';
import { api, type Page } from '../../data/api.ts';
import { queryClient } from '../../data/query-client.ts';
import { readAgainIfUnderWay, refresh } from '../../data/refresh.ts';
import { noteOwnEdit } from '../../record/own-edits.ts';
import { withPending } from '../../record/pending-changes.ts';
import { shownTitle } from '../../texts/customer-name.ts';
import { t, tn } from '../../texts/texts.ts';
import { toast } from '../../ui/overlays/toast.tsx';
import { begin, end, moveCards, show } from './board-actions.ts';
import { findCard, placeCard } from './board-cache.ts';
import { boardKeys } from './board-data.ts';
import { type filterQuery, manualOrder } from './board-look.ts';
import { inTurn } from './in-turn.ts';
import { asMove } from './moves.ts';

type Column = InfiniteData<Page<Card>, string | null>;
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
  for (const [i, card] of cards.entries()) {
    begin(card.recordId);
    if (card.status !== status.value) noteOwnEdit(card.recordId, { status: status.value });
    placeCard({ ...card, status: status.value });
    putBeside(kanbanId, card.recordId, status.value, places[i]!);
  }
  const sendAll = async () => {
    for (const [i, { recordId }] of cards.entries()) {
      const body = { ...places[i], status: status.value };
      const put = () => api<CrmRecord>('PUT', `/crm/records/${recordId}/position`, { body });
      show(withPending(await inTurn([recordId], put)));
    }
  };
  try {
    const sent = asMove(kanbanId, sendAll);
    readAgainIfUnderWay(boardKeys.allCards(kanbanId));
    await sent;
  } catch (error) {
    for (const card of cards) placeCard(card);
    void refresh(boardKeys.allCards(kanbanId));
    toast.failed(t('board.moveFailed'), error, () => void moveBeside(cards, status, place));
    return false;
  } finally {
    for (const { recordId } of cards) end(recordId);
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
    const items = column.pages.flatMap((page) => page.items);
    const at = items.findIndex(({ recordId }) => recordId === card.recordId);
    if (at < 0) continue;
    const previous = items[at - 1];
    const next = items.slice(at + 1).find(({ recordId }) => !moved.has(recordId));
    if (previous) return { after: previous.recordId };
    return next ? { before: next.recordId } : null;
  }
  return null;
}

/** From the first to the last: a card may have been beside another one of them. */
async function putBack(moved: readonly { card: Card; place: CardPlace | null }[]): Promise<void> {
  for (const { card, place } of moved) {
    const now = findCard(card.kanbanId, card.recordId) ?? card;
    const status = { value: card.status, label: '' };
    if (place) await moveBeside([now], status, place, { isUndo: true });
    else await moveCards([now], status);
  }
}

function manualColumns(kanbanId: string, status: string): [readonly unknown[], Column][] {
  return queryClient
    .getQueriesData<Column>({ queryKey: boardKeys.allCards(kanbanId) })
    .flatMap(([key, column]) => {
      const { sort } = key[3] as ReturnType<typeof filterQuery>;
      return column && sort === manualOrder && key[4] === status ? [[key, column]] : [];
    });
}

function putBeside(kanbanId: string, recordId: string, status: string, place: CardPlace): void {
  const neighbourId = 'before' in place ? place.before : place.after;
  for (const [key, column] of manualColumns(kanbanId, status)) {
    const card = column.pages.flatMap((page) => page.items).find((one) => one.recordId === recordId);
    if (!card) continue;
    const pages = column.pages.map((page) => {
      const items = page.items.filter((one) => one !== card);
      const at = items.findIndex((one) => one.recordId === neighbourId);
      return at < 0
        ? { ...page, items }
        : { ...page, items: items.toSpliced('before' in place ? at : at + 1, 0, card) };
    });
    queryClient.setQueryData<Column>(key, { ...column, pages });
  }
}
