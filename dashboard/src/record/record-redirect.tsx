/** Leads from the id of a record to its place on its board. */
import { useQuery } from '@tanstack/react-query';
import { Navigate, useParams } from '@tanstack/react-router';
import { kanbansQuery } from '../data/queries.ts';
import { ErrorState, Skeleton } from '../ui/display/states.tsx';
import { recordQuery } from './record-data.ts';

export function RecordRedirect() {
  const { recordId } = useParams({ from: '/shell/records/$recordId' });
  const record = useQuery(recordQuery(recordId));
  const boards = useQuery(kanbansQuery);
  const error = record.error ?? boards.error;
  if (error) return <ErrorState error={error} onRetry={() => void record.refetch()} />;
  const board = boards.data?.find(({ id }) => id === record.data?.kanbanId);
  if (!board) return <Skeleton className="m-4 h-6 w-40" />;
  return (
    <Navigate to="/boards/$boardId/records/$recordId" params={{ boardId: board.slug, recordId }} replace />
  );
}
