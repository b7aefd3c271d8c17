/** Selects every card that the filters find, also those that were never loaded. */
import { useState } from 'react';
import type { Card } from '../../../../contract/dashboard.ts';
import { api, type Page } from '../../data/api.ts';
import { t, tn } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { type BoardFilters, filterQuery } from '../data/board-look.ts';
import { selection } from '../data/selection.ts';

/** More are better changed through the API: every card is sent and shown. */
const most = 1_000;

export function SelectAll({
  kanbanId,
  filters,
  total,
  selected,
}: {
  kanbanId: string;
  filters: BoardFilters;
  total: number | undefined;
  selected: number;
}) {
  const [isBusy, setIsBusy] = useState(false);
  if (total === undefined || total <= selected || total > most) return null;
  const select = async () => {
    setIsBusy(true);
    try {
      const found: Card[] = [];
      for (let nextToken: string | null | undefined; nextToken !== null && found.length < most; ) {
        const query = { ...filterQuery(filters), limit: 100, nextToken };
        const page = await api<Page<Card>>('GET', `/kanbans/${kanbanId}/cards`, { query });
        found.push(...page.items);
        nextToken = page.nextToken;
      }
      selection.add(found);
    } catch (error) {
      toast.failed(t('board.bulk.allFailed'), error, select);
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <Button tone="quiet" className="max-sm:hidden" busy={isBusy} onClick={() => void select()}>
      {tn('board.bulk.all', total)}
    </Button>
  );
}
