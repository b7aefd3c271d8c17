/** The state of a new conversation until it is sent. */
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { Static } from 'typebox';
import { randomId } from '../../../../browser/random-id.ts';
import type { Kanban } from '../../../../contract/crm/kanbans.ts';
import type { CrmRecord } from '../../../../contract/crm/records.ts';
import { limits } from '../../../../contract/limits.ts';
import type { ConversationStarted } from '../../../../contract/messaging/messages.ts';
import { api } from '../../data/api.ts';
import { keys, useChannels } from '../../data/queries.ts';
import { refresh } from '../../data/refresh.ts';
import { shownTitle } from '../../texts/customer-name.ts';
import { t } from '../../texts/texts.ts';
import { toast } from '../../ui/overlays/toast.tsx';
import { placeholdersIn } from '../composer/saved/placeholders.ts';
import { useTakeOver } from '../composer/sending/take-over.tsx';
import type { Upload } from '../composer/uploads.ts';
import { canStart, isPhone, reachesPhones, recipientsOf } from './recipients.ts';

/** The card that the conversation is about. */
export interface StartFrom {
  record: CrmRecord;
  board: Kanban;
}

export function useStart(from: StartFrom | undefined, onClose: () => void) {
  const navigate = useNavigate();
  const channels = useChannels().filter(canStart);
  const [chosenId, chooseChannel] = useState<string>();
  const channel = channels.find(({ id }) => id === chosenId) ?? channels[0];
  const offered = from && channel ? recipientsOf(channel, from.record, from.board) : [];
  const [typedRecipient, setRecipient] = useState<string>();
  const recipient = typedRecipient ?? offered[0] ?? '';
  const [name, setName] = useState(from ? shownTitle(from.record.title) : '');
  const [kanbanId, setKanbanId] = useState<string>();
  const [text, setText] = useState('');
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const takesOver = useTakeOver({ aiPaused: false }).byDefault;
  const [typedKeepsAi, setKeepsAi] = useState<boolean>();
  const keepsAi = typedKeepsAi ?? takesOver === false;
  const isWrongPhone =
    channel !== undefined && reachesPhones(channel) && recipient.trim() !== '' && !isPhone(recipient.trim());
  const isReady =
    channel !== undefined &&
    recipient.trim() !== '' &&
    !isWrongPhone &&
    text.length <= limits.messageLength &&
    (text.trim() !== '' || uploads.length > 0) &&
    uploads.every(({ error }) => error === null);

  const facts = {
    externalUserId: recipient.trim(),
    ...(name.trim() && { sessionName: name.trim() }),
    ...(from ? { recordId: from.record.recordId } : kanbanId && { kanbanId }),
    content: text.trim(),
    pauseAi: !keepsAi,
  };
  // Another try with the same content is not sent twice.
  const written = JSON.stringify([channel?.id, facts, uploads.map(({ id }) => id)]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: one key for each content
  const idempotencyKey = useMemo(() => randomId(), [written]);
  const send = async () => {
    const attachments = await Promise.all(uploads.map(({ done }) => done));
    const { sessionId, isNewSession } = await api<Static<typeof ConversationStarted>>(
      'POST',
      `/channels/${channel!.id}/sessions`,
      { body: { ...facts, ...(attachments.length > 0 && { attachments }) }, idempotencyKey },
    );
    if (!isNewSession) toast.done(t('composer.start.continued'));
    void refresh(keys.sessions);
    onClose();
    await navigate({ to: '/inbox/$sessionId', params: { sessionId } });
  };
  return {
    channels,
    channel,
    chooseChannel,
    offered,
    recipient,
    setRecipient,
    isWrongPhone,
    name,
    setName,
    kanbanId: from?.board.id ?? kanbanId,
    setKanbanId,
    text,
    setText,
    uploads,
    setUploads,
    keepsAi,
    setKeepsAi,
    isReady,
    unfilled: placeholdersIn(text),
    send,
  };
}
