import { useState } from 'react';
import type { InboxSession } from '../../../../contract/dashboard.ts';
import { BoardDot } from '../../app/board-dot.tsx';
import { useAgents, useChannels, useKanbans } from '../../data/queries.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { transfer } from '../data/inbox-actions.ts';

export function TransferDialog({ session, onClose }: { session: InboxSession; onClose(): void }) {
  const agents = useAgents();
  const boards = useKanbans();
  const channel = useChannels().find(({ id }) => id === session.channelId);
  const [agentId, setAgentId] = useState(session.agentId);
  const [kanbanId, setKanbanId] = useState(session.kanbanId);
  const [busy, setBusy] = useState(false);
  const allowed = agents.filter(
    ({ id }) =>
      id === session.agentId || id === channel?.defaultAgentId || channel?.allowedAgentIds.includes(id),
  );
  /** Each agent has a board on the channel, which is preselected. */
  const chooseAgent = (id: string) => {
    setAgentId(id);
    const its = channel?.agentKanbanConfigs[id];
    if (its && boards.some((board) => board.id === its)) setKanbanId(its);
  };
  const submit = async () => {
    setBusy(true);
    const agent = agents.find(({ id }) => id === agentId)?.name ?? '';
    const board = boards.find(({ id }) => id === kanbanId)?.name ?? '';
    const target = {
      ...(agentId !== session.agentId && { agentId }),
      ...(kanbanId !== session.kanbanId && { kanbanId }),
    };
    // The board alone would also change the agent, to the channel's default.
    const whole = target.kanbanId && !target.agentId ? { ...target, agentId } : target;
    if (await transfer(session, whole, t('inbox.transfer.done', { agent, board }))) onClose();
    else setBusy(false);
  };
  const isSame = agentId === session.agentId && kanbanId === session.kanbanId;
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('inbox.transfer.title')}
      description={t('inbox.transfer.text')}
      footer={
        <>
          <Button onClick={onClose}>{t('ui.cancel')}</Button>
          <Button tone="primary" busy={busy} disabled={isSame} onClick={() => void submit()}>
            {t('inbox.transfer.action')}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <Field label={t('inbox.transfer.agent')} hint={t('inbox.transfer.agentHint')}>
          {(ids) => (
            <Select
              {...ids}
              value={agentId}
              onChange={chooseAgent}
              options={allowed.map(({ id, name }) => ({ value: id, label: name }))}
            />
          )}
        </Field>
        <Field label={t('inbox.transfer.board')} hint={t('inbox.transfer.boardHint')}>
          {(ids) => (
            <Select
              {...ids}
              value={kanbanId}
              onChange={setKanbanId}
              options={boards.map(({ id, name }) => ({
                value: id,
                label: name,
                mark: <BoardDot id={id} />,
              }))}
            />
          )}
        </Field>
      </div>
    </Dialog>
  );
}
