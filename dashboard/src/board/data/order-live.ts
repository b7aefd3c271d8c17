/** Somebody may have moved a card by hand: only the service knows where it is now. */
import { useCallback } from 'react';
import { useLive } from '../../data/live.ts';
import { isEdited } from '../../data/store/entities.ts';
import { askAgain } from './board-cache.ts';

/** `queryKey` is read again after a live change of a record of the board, while `isManual`. */
export function useOrderLive(kanbanId: string, queryKey: readonly unknown[], isManual: boolean): void {
  const name = JSON.stringify(queryKey);
  useLive(
    'record.updated',
    useCallback(
      ({ record }) => {
        if (!isManual || record.kanbanId !== kanbanId || isEdited('record', record.recordId)) return;
        askAgain(JSON.parse(name));
      },
      [kanbanId, name, isManual],
    ),
  );
}
