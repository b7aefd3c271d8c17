/** The cards of a board by a date field: a month or a week, and a list by day where the window is narrow. */
import { Link } from '@tanstack/react-router';
import { CalendarDays } from 'lucide-react';
import type { Kanban } from '../../../../contract/crm/kanbans.ts';
import { useMay } from '../../data/session.ts';
import { t } from '../../texts/texts.ts';
import { EmptyState } from '../../ui/display/states.tsx';
import type { LayoutProps } from '../data/layout-props.ts';
import { Calendar } from './calendar.tsx';
import { calendarLook } from './calendar-data.ts';

export default function BoardCalendar(props: LayoutProps) {
  const { field, span } = calendarLook(props.board, props.look);
  return field ? <Calendar {...props} field={field} span={span} /> : <NoDateField board={props.board} />;
}

function NoDateField({ board }: { board: Kanban }) {
  const may = useMay('fields.manage');
  return (
    <EmptyState
      icon={<CalendarDays className="size-4" />}
      title={t('calendar.noField.title')}
      text={t(may ? 'calendar.noField.text' : 'calendar.noField.ask')}
      action={
        may && (
          <Link
            to="/boards/$boardId/settings"
            params={{ boardId: board.slug }}
            hash="fields"
            className="inline-flex h-7 items-center rounded-control border border-line-strong bg-surface px-2.5 font-medium hover:bg-hover"
          >
            {t('calendar.noField.add')}
          </Link>
        )
      }
    />
  );
}
