/** Publishes a draft: with a note, with a warning if its tests have not passed, and by force if they must have. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AgentDraft } from '../../../../contract/agent-versions.ts';
import type { Agent } from '../../../../contract/channels.ts';
import { limits } from '../../../../contract/limits.ts';
import { api } from '../../data/api.ts';
import { ApiError, ExplainedError } from '../../data/errors.ts';
import { keys } from '../../data/queries.ts';
import { useMay } from '../../data/session.ts';
import { t } from '../../texts/texts.ts';
import { TextField } from '../../ui/controls/text-field.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { reload } from '../settings-data.ts';
import { casesQuery, runQuery, runsQuery } from './tests/tests-data.ts';
import { hasPassed, runOfDraft } from './tests/warning.ts';

interface PublishProps {
  published: Agent;
  draft: AgentDraft;
  onClose(): void;
}

export function PublishDialog({ published, draft, onClose }: PublishProps) {
  const [note, setNote] = useState('');
  const [failing, setFailing] = useState<ApiError['cases']>();
  const [reason, setReason] = useState('');
  const mayForce = useMay('agents.force_publish');
  const isForced = failing !== undefined && mayForce;
  const publish = async () => {
    const body = {
      ...(note.trim() && { note: note.trim() }),
      ...(isForced && { force: { reason: reason.trim() } }),
    };
    try {
      const { version } = await api<Agent>('POST', `/agents/${published.id}/publish`, { body });
      await reload(keys.agents);
      toast.done(t('agents.draft.done', { version }));
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'TESTS_FAILED')) throw error;
      setFailing(error.cases ?? []);
      throw new ExplainedError(t('agents.gate.blocked'));
    }
  };
  return (
    <FormDialog
      title={t('agents.draft.publishTitle')}
      description={t('agents.draft.publishText')}
      action={isForced ? t('agents.gate.force') : t('agents.draft.publish')}
      ready={!isForced || reason.trim() !== ''}
      onSubmit={publish}
      onClose={onClose}
    >
      {published.publishGate.mode === 'warn' && <Warning published={published} draft={draft} />}
      <TextField
        label={t('agents.draft.note')}
        hint={t('agents.draft.noteHint')}
        lines={{ min: 2, max: 6 }}
        maxLength={limits.versionNote}
        value={note}
        onChange={setNote}
      />
      {failing && (
        <div className="flex flex-col gap-1">
          <p>{failing.length > 0 ? t('agents.gate.failing') : t('agents.gate.noCases')}</p>
          <ul aria-label={t('agents.gate.failing')} className="max-h-40 list-disc overflow-y-auto pl-5">
            {failing.map(({ id, name }) => (
              <li key={id} className="wrap-anywhere">
                {name}
              </li>
            ))}
          </ul>
        </div>
      )}
      {isForced && (
        <TextField
          label={t('agents.gate.reason')}
          hint={t('agents.gate.reasonHint')}
          maxLength={limits.versionNote}
          value={reason}
          onChange={setReason}
        />
      )}
    </FormDialog>
  );
}

/** The service publishes all the same. */
function Warning({ published, draft }: Omit<PublishProps, 'onClose'>) {
  const cases = useQuery(casesQuery(published.id));
  const runs = useQuery(runsQuery(published.id));
  const newest = runOfDraft(runs.data ?? [], draft);
  const run = useQuery({ ...runQuery(published.id, newest?.id ?? ''), enabled: newest !== undefined });
  if (!cases.data || !runs.data || (newest && !run.data)) return null;
  if (run.data && newest && hasPassed(published, cases.data, run.data)) return null;
  return (
    <p role="status" className="rounded-control border border-line bg-sunken px-3 py-2 text-pretty">
      {newest ? t('agents.gate.warnFailed') : t('agents.gate.warnNotRun')}
    </p>
  );
}
