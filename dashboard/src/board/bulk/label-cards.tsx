/** Labels of the selected cards, which stay selected. */
import { useState } from 'react';
import type { Card } from '../../../../contract/dashboard.ts';
import LabelDialog from '../../labels/label-dialog.tsx';
import { tn } from '../../texts/texts.ts';
import { changeRecords } from '../data/board-actions.ts';
import { findCard } from '../data/board-cache.ts';

export default function LabelCards({ cards, onClose }: { cards: readonly Card[]; onClose(): void }) {
  const [opened] = useState(cards);
  const current = () => opened.map((card) => findCard(card.kanbanId, card.recordId) ?? card);
  return (
    <LabelDialog
      title={tn('labels.cards', opened.length)}
      current={() => current().map(({ labelIds }) => labelIds)}
      onChange={(change) => changeRecords(current(), change, { done: tn('board.bulk.done', opened.length) })}
      onClose={onClose}
    />
  );
}
