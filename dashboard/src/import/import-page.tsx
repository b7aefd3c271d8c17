/** Imports a spreadsheet into a board. The service stores the state: leaving the page loses nothing. */
import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { ArrowLeft, FileX2 } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { ImportState } from '../../../contract/crm/imports.ts';
import type { Kanban } from '../../../contract/crm/kanbans.ts';
import { BoardDot } from '../app/board-dot.tsx';
import { PageHeader } from '../app/page-header.tsx';
import { ApiError } from '../data/errors.ts';
import { kanbansQuery } from '../data/queries.ts';
import { t } from '../texts/texts.ts';
import { EmptyState, ErrorState, Skeleton } from '../ui/display/states.tsx';
import { CheckStep } from './check-step.tsx';
import { ChooseFile } from './choose-file.tsx';
import { forgetCards, importQuery } from './import-data.ts';
import { ImportSteps, quietLink } from './import-steps.tsx';
import { MappingStep } from './mapping-step.tsx';
import { ResultStep } from './result-step.tsx';
import { RunStep } from './run-step.tsx';

export function ImportPage() {
  const { boardId, importId } = useParams({ strict: false }) as { boardId: string; importId?: string };
  const boards = useQuery(kanbansQuery);
  const board = boards.data?.find(({ slug, id }) => slug === boardId || id === boardId);
  if (boards.isPending) return <PageSkeleton />;
  if (boards.isError) return <ErrorState error={boards.error} onRetry={() => void boards.refetch()} />;
  if (!board) {
    return (
      <EmptyState
        icon={<FileX2 className="size-4" />}
        title={t('board.missing.title')}
        text={t('board.missing.text')}
      />
    );
  }
  return (
    <>
      <PageHeader
        title={t('import.title', { name: board.name })}
        mark={<BoardDot id={board.id} className="size-2.5 max-md:hidden" />}
        actions={
          <Link to="/boards/$boardId" params={{ boardId: board.slug }} className={quietLink}>
            <ArrowLeft className="size-3.5" />
            <span className="max-sm:sr-only">{t('import.toBoard')}</span>
          </Link>
        }
      />
      {importId ? <OneImport key={importId} board={board} importId={importId} /> : <Begin board={board} />}
    </>
  );
}

function Begin({ board }: { board: Kanban }) {
  return (
    <>
      <ImportSteps at={0} />
      <ChooseFile board={board} />
    </>
  );
}

function OneImport({ board, importId }: { board: Kanban; importId: string }) {
  const { step } = useSearch({ strict: false }) as { step?: 'check' };
  const query = useQuery(importQuery(importId));
  const { data } = query;
  const before = useRef<ImportState>(undefined);
  useEffect(() => {
    if (before.current === 'running' && data?.state !== 'running') void forgetCards(board.id);
    before.current = data?.state;
  }, [data?.state, board.id]);

  const isMissing = query.error instanceof ApiError && query.error.status === 404;
  if (isMissing || (data && data.kanbanId !== board.id)) {
    return (
      <EmptyState
        icon={<FileX2 className="size-4" />}
        title={t('import.missing.title')}
        text={t('import.missing.text')}
        action={
          <Link to="/boards/$boardId/import" params={{ boardId: board.slug }} className={quietLink}>
            {t('import.another')}
          </Link>
        }
      />
    );
  }
  if (!data && query.isError) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  if (!data) return <PageSkeleton />;
  const at = data.state === 'draft' ? (step === 'check' ? 2 : 1) : 3;
  return (
    <>
      <ImportSteps at={at} done={data.state === 'done'} />
      {at === 1 && <MappingStep board={board} current={data} />}
      {at === 2 && <CheckStep board={board} current={data} />}
      {data.state === 'running' && <RunStep board={board} current={data} isLost={query.isError} />}
      {at === 3 && data.state !== 'running' && <ResultStep board={board} current={data} />}
    </>
  );
}

function PageSkeleton() {
  return (
    <div className="flex flex-col gap-3 px-4 py-8 md:px-10">
      <Skeleton className="h-5 w-56" />
      <Skeleton className="h-40 max-w-3xl" />
    </div>
  );
}
