/** A record beside its board: all fields by group, its conversations, and what happened to it. */

import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { Link2, MessageSquare, MoreHorizontal, Trash2 } from 'lucide-react';
import { Suspense, useCallback, useEffect, useState } from 'react';
import type { Kanban } from '../../../contract/crm/kanbans.ts';
import type { CrmRecord, RecordUpdate } from '../../../contract/crm/records.ts';
import type { LivePerson } from '../../../contract/realtime.ts';
import { lazyView } from '../app/lazy-view.tsx';
import { useForgetGone, useRecent } from '../app/remembered.ts';
import { VerdictsDialog, VerdictsItem } from '../automations/verdicts-item.tsx';
import { changeRecords, deleteRecords } from '../board/data/board-actions.ts';
import { setViewing, useLive } from '../data/live.ts';
import { useKanbans } from '../data/queries.ts';
import { useMay, useSignedIn } from '../data/session.ts';
import { markRecordNotificationsRead } from '../notifications/mark-read.ts';
import { shownTitle } from '../texts/customer-name.ts';
import { t, withTexts } from '../texts/texts.ts';
import { Button, IconButton } from '../ui/controls/button.tsx';
import { copyText } from '../ui/controls/copy-field.tsx';
import { AvatarStack } from '../ui/display/avatar.tsx';
import { ErrorState, Skeleton } from '../ui/display/states.tsx';
import { Menu, MenuItem, MenuLine } from '../ui/overlays/menu.tsx';
import { Panel } from '../ui/overlays/panel.tsx';
import { toast } from '../ui/overlays/toast.tsx';
import { RecordActivity } from './record-activity.tsx';
import { RecordConversations } from './record-conversations.tsx';
import { conversationsQuery, recordQuery } from './record-data.ts';
import { RecordFields } from './record-fields.tsx';
import { RecordStart } from './record-start.tsx';
import { StatusMenu } from './status-menu.tsx';
import { TitleEditor } from './title-editor.tsx';

const RecordTasks = lazyView(
  withTexts('tasks', () => import('../tasks/record-tasks.tsx')),
  'default',
);
const RecordComments = lazyView(
  withTexts('tasks', () => import('../comments/record-comments.tsx')),
  'default',
);

export function RecordPanelRoute() {
  const { boardId, recordId } = useParams({ from: '/shell/boards/$boardId/records/$recordId' });
  const navigate = useNavigate();
  const close = useCallback(
    () => void navigate({ to: '/boards/$boardId', params: { boardId }, search: (before) => before }),
    [navigate, boardId],
  );
  return <RecordPanel key={recordId} recordId={recordId} onClose={close} />;
}

export function RecordPanel({ recordId, onClose }: { recordId: string; onClose(): void }) {
  const boards = useKanbans();
  const query = useQuery(recordQuery(recordId));
  useForgetGone('record', recordId, query.error);
  const record = query.data;
  const board = boards.find(({ id }) => id === record?.kanbanId);
  useEffect(() => {
    setViewing({ recordId });
    markRecordNotificationsRead(recordId);
    return () => setViewing({});
  }, [recordId]);
  if (record && board) return <OpenRecord record={record} board={board} onClose={onClose} />;
  return (
    <Panel label={t('record.title')} header={<Skeleton className="h-4 w-24" />} onClose={onClose}>
      {query.isError ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <div className="flex flex-col gap-4 p-5">
          <Skeleton className="h-6 w-2/3" />
          {[0, 1, 2, 3, 4, 5].map((row) => (
            <Skeleton key={row} className="h-5 w-full" />
          ))}
        </div>
      )}
    </Panel>
  );
}

function OpenRecord({ record, board, onClose }: { record: CrmRecord; board: Kanban; onClose(): void }) {
  const [showsRules, setRules] = useState(false);
  const mayDelete = useMay('records.delete');
  const seesConversations = useMay('conversations.view');
  const mayStart = useMay('conversations.reply');
  const navigate = useNavigate();
  const { data: conversations = [] } = useQuery({
    ...conversationsQuery(record.recordId),
    enabled: seesConversations,
  });
  useRecent('record', record.recordId, shownTitle(record.title), board.id);
  const others = useOthers(record.recordId);
  const change = useCallback((update: RecordUpdate) => void changeRecords([record], update), [record]);
  const latest = conversations[0];
  return (
    <Panel
      label={shownTitle(record.title)}
      onClose={onClose}
      header={
        <>
          <StatusMenu board={board} value={record.status} onChange={(status) => change({ status })} />
          <span className="flex-1" />
          {others.length > 0 && <AvatarStack people={others} />}
        </>
      }
      actions={
        <>
          {latest && seesConversations && (
            <Button
              icon={<MessageSquare className="size-3.5" />}
              onClick={() =>
                void navigate({ to: '/inbox/$sessionId', params: { sessionId: latest.sessionId } })
              }
            >
              {t('record.openChat')}
            </Button>
          )}
          <Menu
            align="end"
            trigger={
              <IconButton label={t('ui.more')} tip={false}>
                <MoreHorizontal className="size-4" />
              </IconButton>
            }
          >
            <MenuItem
              icon={<Link2 className="size-4" />}
              onSelect={() =>
                void copyText(location.href).then((copied) =>
                  copied ? toast.done(t('record.linkCopied')) : toast.show(t('ui.copyFailed')),
                )
              }
            >
              {t('record.copyLink')}
            </MenuItem>
            <VerdictsItem onSelect={() => setRules(true)} />
            {mayDelete && (
              <>
                <MenuLine />
                <MenuItem
                  danger
                  icon={<Trash2 className="size-4 text-danger" />}
                  onSelect={() => {
                    onClose();
                    deleteRecords([record]);
                  }}
                >
                  {t('record.delete')}
                </MenuItem>
              </>
            )}
          </Menu>
        </>
      }
    >
      {showsRules && (
        <Suspense>
          <VerdictsDialog place={{ kind: 'record', id: record.recordId }} onClose={() => setRules(false)} />
        </Suspense>
      )}
      <div className="px-5 pt-4 pb-2">
        <TitleEditor value={shownTitle(record.title)} onCommit={(title) => change({ title })} />
      </div>
      <RecordFields record={record} board={board} onChange={change} />
      <Suspense fallback={<Skeleton className="mx-5 mb-4 h-16" />}>
        <RecordTasks record={record} />
        <RecordComments record={record} />
      </Suspense>
      {seesConversations && (
        <RecordConversations
          conversations={conversations}
          action={mayStart && <RecordStart record={record} board={board} />}
        />
      )}
      <RecordActivity record={record} board={board} />
    </Panel>
  );
}

/** Who else looks at this record now. */
function useOthers(recordId: string): LivePerson[] {
  const { user } = useSignedIn();
  const [people, setPeople] = useState<LivePerson[]>([]);
  useLive(
    'presence',
    useCallback((presence) => presence.recordId === recordId && setPeople(presence.people), [recordId]),
  );
  return people.filter(({ id }) => id !== user.id);
}
