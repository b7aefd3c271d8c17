import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { BoardDot } from '../app/board-dot.tsx';
import { useKanbans } from '../data/queries.ts';
import { recordQuery } from '../record/record-data.ts';
import { shownTitle } from '../texts/customer-name.ts';
import { t } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';
import { Dot } from '../ui/display/badge.tsx';
import { ContactPart, rowClass, rowsClass } from './contact-part.tsx';

const shown = 20;

/** Cards on boards that the user may open; others are left out. */
export function ContactCards({ recordIds }: { recordIds: readonly string[] }) {
  const boards = useKanbans();
  const records = useQueries({ queries: recordIds.slice(0, shown).map((id) => recordQuery(id)) });
  const cards = records.flatMap(({ data }) => {
    const board = boards.find(({ id }) => id === data?.kanbanId);
    return data && board ? [{ record: data, board }] : [];
  });
  return (
    <ContactPart title={t('contacts.cards')}>
      {cards.length === 0 && records.every(({ isPending }) => !isPending) && (
        <p className="text-muted">{t('contacts.noCards')}</p>
      )}
      {cards.length > 0 && (
        <ul aria-label={t('contacts.cards')} className={rowsClass}>
          {cards.map(({ record, board }) => {
            const status = board.statuses.find(({ value }) => value === record.status);
            return (
              <li key={record.recordId} className={cx(rowClass, 'p-0!')}>
                <Link
                  to="/boards/$boardId/records/$recordId"
                  params={{ boardId: board.slug, recordId: record.recordId }}
                  className="flex min-h-10 min-w-0 flex-1 items-center gap-2.5 px-3 hover:bg-hover focus-visible:-outline-offset-2"
                >
                  <BoardDot id={board.id} />
                  <span title={shownTitle(record.title)} className="min-w-0 flex-1 truncate font-medium">
                    {shownTitle(record.title)}
                  </span>
                  <span className="truncate text-sm text-muted">{board.name}</span>
                  {status && (
                    <span className="flex shrink-0 items-center gap-1.5 text-sm text-muted">
                      <Dot color={status.color} /> {status.label}
                    </span>
                  )}
                </Link>
              </li>
            );
          })}
        </ul>
      )}
    </ContactPart>
  );
}
