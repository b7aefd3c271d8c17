/** Writes or changes a test case. What was taken along from a real conversation stays as it is. */
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import type { AgentCheck, AgentTestCase, AgentTestCaseCreate } from '../../../../../contract/agent-tests.ts';
import { limits } from '../../../../../contract/limits.ts';
import { api } from '../../../data/api.ts';
import { queryClient } from '../../../data/query-client.ts';
import { t } from '../../../texts/texts.ts';
import { Button, IconButton } from '../../../ui/controls/button.tsx';
import { TextArea } from '../../../ui/controls/input.tsx';
import { Select } from '../../../ui/controls/select.tsx';
import { TextField } from '../../../ui/controls/text-field.tsx';
import { toast } from '../../../ui/overlays/toast.tsx';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { CheckFields, checkOf, type EditedCheck, editedOf, isWhole } from './check-fields.tsx';
import { casesQuery } from './tests-data.ts';

type Message = AgentTestCase['messages'][number];

const roles = ['user', 'assistant', 'operator'] as const;

export function CaseDialog({
  agentId,
  known,
  onClose,
}: {
  agentId: string;
  known: AgentTestCase | null;
  onClose(): void;
}) {
  const [name, setName] = useState(known?.name ?? '');
  const [messages, setMessages] = useState<Message[]>(known?.messages ?? [{ role: 'user', content: '' }]);
  const [checks, setChecks] = useState<EditedCheck[]>(known?.checks.map(editedOf) ?? []);
  const path = `/agents/${agentId}/test-cases`;
  const reload = () => queryClient.invalidateQueries(casesQuery(agentId));
  const save = async () => {
    const body: AgentTestCaseCreate = {
      name: name.trim(),
      messages,
      checks: checks.map(checkOf) as AgentCheck[],
    };
    if (known) await api('PATCH', `${path}/${known.id}`, { body });
    else await api('POST', path, { body });
    await reload();
  };
  const remove = async () => {
    onClose();
    try {
      await api('DELETE', `${path}/${known!.id}`);
      await reload();
      toast.undo(t('agents.tests.deleted'), () => {
        const { name: before, messages: said, notes, customer, card, toolResults, checks: had } = known!;
        const body = { name: before, messages: said, notes, customer, card, toolResults, checks: had };
        void api('POST', path, { body })
          .then(reload)
          .catch((error) => toast.failed(t('settings.undoFailed'), error));
      });
    } catch (error) {
      toast.failed(t('settings.failed'), error);
    }
  };
  const isReady =
    name.trim() !== '' &&
    // A real conversation may have messages without text.
    messages.every(({ content }, at) => content.trim() !== '' || known?.messages[at]?.content === content) &&
    checks.every(isWhole);
  return (
    <FormDialog
      wide
      title={known ? t('agents.tests.edit') : t('agents.tests.add')}
      description={known?.source && t('agents.tests.placeholders')}
      action={known ? t('ui.save') : t('ui.add')}
      ready={isReady}
      onSubmit={save}
      onClose={onClose}
      onDelete={known && !known.source ? () => void remove() : undefined}
      // Brought back it would not go with its conversation any more.
      aside={
        known?.source && (
          <ConfirmButton
            tone="quiet"
            className="text-danger!"
            action={t('ui.delete')}
            title={t('agents.tests.deleteTitle')}
            text={t('agents.tests.deleteText')}
            failed={t('settings.failed')}
            onConfirm={async () => {
              await api('DELETE', `${path}/${known.id}`);
              onClose();
              await reload();
            }}
          />
        )
      }
    >
      <TextField
        label={t('agents.name')}
        autoFocus
        maxLength={limits.nameLength}
        value={name}
        onChange={setName}
      />
      <Messages messages={messages} onChange={setMessages} />
      <Checks checks={checks} onChange={setChecks} />
    </FormDialog>
  );
}

function Messages({ messages, onChange }: { messages: Message[]; onChange(messages: Message[]): void }) {
  const put = (index: number, change: Partial<Message>) =>
    onChange(messages.map((one, at) => (at === index ? { ...one, ...change } : one)));
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 font-medium">{t('agents.tests.messages')}</legend>
      {messages.map((message, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a message has nothing else
        <div key={index} className="flex flex-wrap items-start gap-2 sm:flex-nowrap">
          <Select
            className="w-36! shrink-0"
            label={t('agents.tests.who', { number: index + 1 })}
            value={message.role}
            options={(message.role === 'system' ? ([...roles, 'system'] as const) : roles).map((value) => ({
              value,
              label: t(`agents.tests.role.${value}`),
            }))}
            onChange={(role) => put(index, { role })}
          />
          <TextArea
            rows={1}
            maxRows={8}
            aria-label={t('agents.tests.message', { number: index + 1 })}
            maxLength={limits.messageLength}
            value={message.content}
            onChange={(event) => put(index, { content: event.target.value })}
          />
          {messages.length > 1 && (
            <IconButton
              label={t('agents.tests.removeMessage', { number: index + 1 })}
              className="h-8! w-8!"
              onClick={() => onChange(messages.filter((_, at) => at !== index))}
            >
              <X className="size-3.5" />
            </IconButton>
          )}
        </div>
      ))}
      <p className="text-sm text-muted">{t('agents.tests.messagesHint')}</p>
      <Button
        className="self-start"
        icon={<Plus className="size-3.5" />}
        disabled={messages.length >= limits.agentTests.messages}
        onClick={() => {
          const role = messages.at(-1)?.role === 'user' ? 'assistant' : 'user';
          onChange([...messages, { role, content: '' }]);
        }}
      >
        {t('agents.tests.addMessage')}
      </Button>
    </fieldset>
  );
}

export function Checks({
  checks,
  onChange,
}: {
  checks: EditedCheck[];
  onChange(checks: EditedCheck[]): void;
}) {
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-1 font-medium">{t('agents.tests.checksLabel')}</legend>
      {checks.length === 0 && <p className="text-sm text-muted">{t('agents.tests.noChecks')}</p>}
      {checks.map((check, index) => (
        <CheckFields
          // biome-ignore lint/suspicious/noArrayIndexKey: a check has nothing else
          key={index}
          number={index + 1}
          check={check}
          onChange={(next) => onChange(checks.map((one, at) => (at === index ? next : one)))}
          onRemove={() => onChange(checks.filter((_, at) => at !== index))}
        />
      ))}
      <Button
        className="self-start"
        icon={<Plus className="size-3.5" />}
        disabled={checks.length >= limits.agentTests.checks}
        onClick={() => onChange([...checks, { kind: 'contains', value: '', more: '' }])}
      >
        {t('agents.tests.addCheck')}
      </Button>
    </fieldset>
  );
}
