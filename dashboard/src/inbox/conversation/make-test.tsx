/** Makes a test of a reply: the conversation up to the customer's message, and what a good answer to it has. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AgentCheck, AgentTestCaseCreate } from '../../../../contract/agent-tests.ts';
import { limits } from '../../../../contract/limits.ts';
import type { Message } from '../../../../contract/messaging/messages.ts';
import { api } from '../../data/api.ts';
import { ExplainedError } from '../../data/errors.ts';
import { queryClient } from '../../data/query-client.ts';
import { Checks } from '../../settings/agents/tests/case-dialog.tsx';
import { checkOf, type EditedCheck, isWhole } from '../../settings/agents/tests/check-fields.tsx';
import { casesQuery } from '../../settings/agents/tests/tests-data.ts';
import { FormDialog } from '../../settings/parts/form-dialog.tsx';
import { t } from '../../texts/texts.ts';
import { TextField } from '../../ui/controls/text-field.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { messagesQuery } from '../data/message-data.ts';

interface MakeTestProps {
  message: Message;
  sessionId: string;
  agentId: string;
  onClose(): void;
}

export default function MakeTest({ message, sessionId, agentId, onClose }: MakeTestProps) {
  const chat = useInfiniteQuery(messagesQuery(sessionId));
  const asked = questionOf(
    chat.data?.pages.flatMap(({ items }) => items),
    message,
  );
  const [name, setName] = useState('');
  const [checks, setChecks] = useState<EditedCheck[]>([]);
  const suggested = asked?.content.trim().split('\n', 1)[0]?.slice(0, limits.nameLength) ?? '';
  const create = async () => {
    if (!asked) throw new ExplainedError(t('agents.tests.noQuestion'));
    const body: AgentTestCaseCreate = {
      name: name.trim() || suggested || t('agents.tests.unnamed'),
      sessionId,
      messageId: asked.id,
      checks: checks.map(checkOf) as AgentCheck[],
    };
    await api('POST', `/agents/${agentId}/test-cases`, { body });
    await queryClient.invalidateQueries(casesQuery(agentId));
    toast.done(t('agents.tests.made'));
  };
  return (
    <FormDialog
      wide
      title={t('agents.tests.make')}
      description={t('agents.tests.makeText')}
      action={t('agents.tests.makeAction')}
      ready={checks.every(isWhole)}
      onSubmit={create}
      onClose={onClose}
    >
      <TextField
        label={t('agents.name')}
        autoFocus
        maxLength={limits.nameLength}
        placeholder={suggested}
        value={name}
        onChange={setName}
      />
      <Checks checks={checks} onChange={setChecks} />
    </FormDialog>
  );
}

/** What it answers: after a call of a tool that is a line of the service, and then the customer's message before it. */
function questionOf(newestFirst: readonly Message[] = [], reply: Message): Message | undefined {
  const isAsked = ({ role, isNote, isEcho }: Message) => role === 'user' && !isNote && !isEcho;
  const from = newestFirst.findIndex(({ id }) => id === (reply.inReplyTo ?? reply.id));
  return newestFirst.slice(Math.max(0, from)).find(isAsked);
}
