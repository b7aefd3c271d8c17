/** Labels of the selected cards, which stay selected. */
import { useState } from 'react';
import type { Card } from '../../../../contract/dashboard.ts';
import { findThing } from '../../data/store/entities.ts';
import LabelDialog from '../../labels/label-dialog.tsx';
import { tn } from '../../texts/texts.ts';
import { changeRecords } from '../data/board-actions.ts';

export default function LabelCards({ cards, onClose }: { cards: readonly Card[]; onClose(): void }) {
  const [opened] = useState(cards);
  const current = () => opened.map((card) => findThing('record', card.recordId) ?? card);
  return (
    <LabelDialog
      title={tn('labels.cards', opened.length)}
      current={() => current().map(({ labelIds }) => labelIds)}
      onChange={(change) => changeRecords(current(), change, { done: tn('board.bulk.done', opened.length) })}
      onClose={onClose}
    />
  );
}
