/** One step of a macro, by the function of the feature that it belongs to. */
import type { MacroStep } from '../../../contract/macros.ts';
import type { SessionUpdate } from '../../../contract/messaging/sessions.ts';
import type { Permission } from '../../../contract/roles/permissions.ts';
import type { Tx } from '../../platform/db/db.ts';
import { requireMay } from '../accounts/accounts.ts';
import { createNote, sendOperatorReply } from '../messages/messages.ts';
import { changeRecord } from '../records/records.ts';
import { changeSession, setAiPaused } from '../sessions/sessions.ts';
import type { Running } from './macros.run.ts';

const minute = 60_000;

/** As of the route of the single action. Running a macro needs those of its steps too. */
const permissionOf = (type: MacroStep['type']): Permission => {
  if (type === 'note') return 'notes.write';
  return type === 'set_fields' || type === 'set_status' ? 'records.edit' : 'conversations.reply';
};

/** Returns the id of the message that was written, if any. */
export async function executeStep(
  tx: Tx,
  running: Running,
  step: MacroStep,
  text: string,
): Promise<string | null> {
  const { actor, now, visible, session, config } = running;
  requireMay(actor, permissionOf(step.type));
  const { sessionId, channelId } = session;
  const { definitions, directory } = config;
  const change = async (update: SessionUpdate) => {
    await changeSession(tx, actor, now, visible, sessionId, update);
    return null;
  };
  const changeCard = async (update: { customFields?: MacroStep['customFields']; status?: string }) => {
    running.record = await changeRecord(tx, actor, now, definitions, running.record!.recordId, update);
    return null;
  };
  switch (step.type) {
    case 'reply': {
      const input = { content: text, pauseAi: step.pauseAi ?? true };
      const replying = { actor, now, directory, visible };
      return (await sendOperatorReply(tx, replying, { channelId, sessionId }, input)).id;
    }
    case 'note': {
      const input = { content: text, isNoteVisibleToAi: step.isNoteVisibleToAi ?? false };
      const noting = { actor, now, visible, definitions };
      return (await createNote(tx, noting, { channelId, sessionId }, input)).messageId;
    }
    case 'assign': {
      const { assignedUserId, teamId } = step;
      return change({
        ...(assignedUserId !== undefined && {
          assignedUserId: assignedUserId === 'me' ? actor.id : assignedUserId,
        }),
        ...(teamId !== undefined && { teamId }),
      });
    }
    case 'label': {
      const { addLabelIds = [], removeLabelIds = [] } = step;
      return change({ addLabelIds, removeLabelIds });
    }
    case 'set_fields':
      return changeCard({ customFields: step.customFields ?? {} });
    case 'set_status':
      return changeCard({ status: step.status! });
    case 'snooze': {
      const minutes = step.snoozeMinutes ?? null;
      return change({ status: 'snoozed', snoozedUntil: minutes === null ? null : now + minutes * minute });
    }
    case 'resolve':
      return change({ status: 'resolved' });
    case 'take_over':
    case 'hand_back':
      await setAiPaused(tx, actor, now, visible, sessionId, step.type === 'take_over');
      return null;
  }
}
