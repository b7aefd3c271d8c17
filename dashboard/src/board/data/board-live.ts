/** Live changes of this board. */
import { useCallback, useEffect } from 'react';
import type { Kanban } from '../../../../contract/crm/kanbans.ts';
import type { CrmRecord } from '../../../../contract/crm/records.ts';
import type { OpenTasks } from '../../../../contract/crm/tasks.ts';
import type { Session } from '../../../../contract/messaging/sessions.ts';
import type { LiveChanges } from '../../../../contract/realtime.ts';
import { countChanges, useLive } from '../../data/live.ts';
import { keys, usePersonOf } from '../../data/queries.ts';
import { refresh } from '../../data/refresh.ts';
import { useSignedIn } from '../../data/session.ts';
import { findThing, hear, isEdited, patch } from '../../data/store/entities.ts';
import { fieldLabel } from '../../fields/field-label.ts';
import { overwrittenFields } from '../../record/own-edits.ts';
import { t } from '../../texts/texts.ts';
import { toast } from '../../ui/overlays/toast.tsx';
import { askAgain } from './board-cache.ts';
import { boardKeys } from './board-data.ts';
import { isFlooded } from './board-flood.ts';

/** By board: how many changes had arrived when it was left. */
const heardUpTo = new Map<string, number>();

export function useBoardLive(board: Kanban): void {
  // What changed while another view was shown is not in the cards of before.
  useEffect(() => {
    const heard = heardUpTo.get(board.id);
    if (heard !== undefined && heard !== countChanges()) void refresh(keys.board(board.id));
    return () => void heardUpTo.set(board.id, countChanges());
  }, [board.id]);
  const { user } = useSignedIn();
  const personOf = usePersonOf();
  const isHere = useCallback((record: CrmRecord) => record.kanbanId === board.id, [board.id]);

  useLive(
    'record.created',
    useCallback(
      ({ record }) => {
        if (isHere(record) && !isFlooded(record.kanbanId)) hear('record', record);
      },
      [isHere],
    ),
  );
  useLive(
    'record.updated',
    useCallback(
      ({ record }) => {
        if (!isHere(record)) return;
        hear('record', record);
        if (isEdited('record', record.recordId)) return;
        for (const field of overwrittenFields(record, user.id)) {
          const name = personOf(record.updatedBy)?.name ?? t('board.someone');
          toast.show(t('board.overwritten', { name, field: fieldName(board, field) }));
        }
      },
      [isHere, board, user.id, personOf],
    ),
  );
  useLive(
    'record.deleted',
    useCallback(() => askAgain(boardKeys.allSummaries(board.id)), [board.id]),
  );
  useLive(
    'message.created',
    useCallback(
      ({ session, message }: LiveChanges['message.created']) => {
        if (message.isNote || message.held || message.role === 'system')
          return showSession(board.id, session);
        showSession(board.id, session, { role: message.role, text: message.content.slice(0, 160) });
      },
      [board.id],
    ),
  );
  const showTasks = useCallback((recordId: string, tasks: OpenTasks) => {
    patch('record', recordId, { tasks });
  }, []);
  const onTask = useCallback(
    ({ task, tasks }: LiveChanges['task.updated']) => showTasks(task.recordId, tasks),
    [showTasks],
  );
  useLive('task.created', onTask);
  useLive('task.updated', onTask);
  useLive(
    'task.deleted',
    useCallback(({ recordId, tasks }) => showTasks(recordId, tasks), [showTasks]),
  );
  useLive(
    'session.updated',
    useCallback(({ session }) => showSession(board.id, session), [board.id]),
  );
}

type LastMessage = { role: 'user' | 'assistant' | 'operator' | 'system'; text: string };

function showSession(kanbanId: string, session: Session, lastMessage?: LastMessage): void {
  const card = session.recordId && findThing('record', session.recordId);
  if (!card || card.kanbanId !== kanbanId) return;
  const { sessionId, unread, needsAttention, lastMessageAt, windowClosesAt } = session;
  const before = card.conversation?.sessionId === sessionId ? card.conversation.lastMessage : null;
  patch('record', card.recordId, {
    conversation: {
      sessionId,
      unread,
      needsAttention,
      lastMessageAt,
      windowClosesAt,
      lastMessage: lastMessage ?? before,
    },
  });
}

export function fieldName(board: Kanban, field: string): string {
  if (field === 'title') return t('record.field.title');
  if (field === 'status') return t('record.field.status');
  if (field === 'assignedUserIds') return t('record.field.assignees');
  if (field === 'labelIds') return t('record.field.labels');
  const found = board.fields.find(({ id }) => id === field);
  return found ? fieldLabel(found) : field;
}
