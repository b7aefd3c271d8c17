/** One tool: its form, or what its MCP server says of it, and a place to try it. `new`: one that is created here. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { Tool } from '../../../../contract/tools.ts';
import { api } from '../../data/api.ts';
import { ApiError, describeError } from '../../data/errors.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { ErrorState } from '../../ui/display/states.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { Danger } from '../parts/danger.tsx';
import { SavedSwitch } from '../parts/saved-fields.tsx';
import { IdField } from '../parts/secret-part.tsx';
import { Answer, Part, Section, SectionSkeleton } from '../parts/section.tsx';
import { ServersTool } from './servers-tool.tsx';
import { ToolFields } from './tool-fields.tsx';
import { emptyForm, formOf, readForm } from './tool-form-values.ts';
import { ToolTrial } from './tool-trial.tsx';
import { reloadTools, toolsQuery } from './tools-data.ts';
import { ToolBadges } from './tools-settings.tsx';

const parent = () => ({ id: 'tools', label: t('settings.tools') });
const toTool = (itemId: string) =>
  ({ to: '/settings/$section/$itemId', params: { section: 'tools', itemId } }) as const;

export default function ToolSettings({ itemId }: { itemId: string }) {
  const tools = useQuery(toolsQuery);
  if (itemId === 'new') return <NewTool />;
  return (
    <Answer query={tools} loading={<SectionSkeleton parent={parent()} />}>
      {(list) => {
        const tool = list.find(({ id }) => id === itemId);
        if (!tool) return <ErrorState error={new ApiError(404, 'NOT_FOUND', '', '')} />;
        return <ToolPage tool={tool} />;
      }}
    </Answer>
  );
}

function NewTool() {
  const navigate = useNavigate();
  const create = async (body: object) => {
    const { id, name } = await api<Tool>('POST', '/tools', { body });
    await reloadTools();
    toast.done(t('tools.created', { name }));
    await navigate({ ...toTool(id), replace: true });
  };
  return (
    <Section parent={parent()} title={t('tools.new')} description={t('tools.newText')}>
      <ToolEditor begin={emptyForm()} action={t('ui.create')} onSave={create} />
    </Section>
  );
}

export type ChangeTool = (body: object) => Promise<void>;

function ToolPage({ tool }: { tool: Tool }) {
  const navigate = useNavigate();
  const { id, name, enabled, mcpServerId } = tool;
  const change: ChangeTool = async (body) => {
    await api('PATCH', `/tools/${id}`, { body });
    await reloadTools();
  };
  return (
    <Section
      parent={parent()}
      name={name}
      title={
        <span className="flex flex-wrap items-center gap-2">
          <code>{name}</code> <ToolBadges tool={tool} />
        </span>
      }
    >
      {mcpServerId === null ? (
        <>
          <SavedSwitch
            label={t('tools.enabled')}
            hint={t('tools.enabledHint')}
            checked={enabled}
            onSave={(next) => change({ enabled: next })}
          />
          <ToolEditor
            begin={formOf(tool)}
            action={t('ui.save')}
            onSave={async (body) => {
              await change(body);
              toast.done(t('tools.saved'));
            }}
          />
        </>
      ) : (
        <ServersTool tool={tool} change={change} />
      )}
      <Part title={t('tools.try')} text={t('tools.tryText')}>
        <ToolTrial tool={tool} />
      </Part>
      <IdField id={id} />
      {mcpServerId === null && (
        <Danger
          title={t('tools.delete')}
          text={t('tools.deleteText')}
          consequence={t('tools.deleteConsequence')}
          name={name}
          usesOf={id}
          action={t('ui.delete')}
          failed={t('tools.deleteFailed')}
          onConfirm={async () => {
            await api('DELETE', `/tools/${id}`);
            await navigate({ to: '/settings/$section', params: { section: 'tools' } });
            await reloadTools();
            toast.done(t('tools.deleted', { name }));
          }}
        />
      )}
    </Section>
  );
}

interface EditorProps {
  begin: ReturnType<typeof emptyForm>;
  action: string;
  onSave(body: object): Promise<void>;
}

/** Saved as a whole: its address and its arguments are checked together. */
function ToolEditor({ begin, action, onSave }: EditorProps) {
  const [form, setForm] = useState(begin);
  const [error, setError] = useState('');
  const [busy, setBusy] = useState(false);
  const isReady = form.name.trim() !== '' && form.description.trim() !== '' && form.url.trim() !== '';
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!isReady || busy) return;
    setBusy(true);
    setError('');
    try {
      await onSave(readForm(form));
    } catch (failure) {
      setError(describeError(failure).text);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-5">
      <ToolFields form={form} onChange={setForm} />
      {error && (
        <p role="alert" className="text-danger">
          {error}
        </p>
      )}
      <span>
        <Button type="submit" tone="primary" busy={busy} disabled={!isReady}>
          {action}
        </Button>
      </span>
    </form>
  );
}
