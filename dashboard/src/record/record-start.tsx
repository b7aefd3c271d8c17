import { Plus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { Kanban } from '../../../contract/crm/kanbans.ts';
import type { CrmRecord } from '../../../contract/crm/records.ts';
import { t, withTexts } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';

const NewConversation = lazy(withTexts('inbox', () => import('../inbox/start/new-conversation.tsx')));

/** Writes to the customer of a card. */
export function RecordStart({ record, board }: { record: CrmRecord; board: Kanban }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button
        size="small"
        tone="quiet"
        className="-mr-2"
        icon={<Plus className="size-3.5" />}
        onClick={() => setIsOpen(true)}
      >
        {t('record.newChat')}
      </Button>
      {isOpen && (
        <Suspense>
          <NewConversation from={{ record, board }} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
