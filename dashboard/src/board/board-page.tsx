import { Outlet, useParams } from '@tanstack/react-router';
import { PageHeader } from '../app/page-header.tsx';
import { useKanbans } from '../data/queries.ts';

export function BoardPage() {
  const { boardId } = useParams({ from: '/shell/boards/$boardId' });
  const board = useKanbans().find(({ slug, id }) => slug === boardId || id === boardId);
  return (
    <>
      <PageHeader title={board?.name ?? ''} />
      <Outlet />
    </>
  );
}
