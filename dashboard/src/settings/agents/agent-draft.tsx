/** What is edited on an agent's page: the published agent, whose changes count at once, or its draft. */
import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import {
  type AgentContent,
  type AgentDraft,
  type AgentDraftWrite,
  type VersionedField,
  versionedFields,
} from '../../../../contract/agent-versions.ts';
import type { Agent } from '../../../../contract/channels.ts';
import { api } from '../../data/api.ts';
import { keys } from '../../data/queries.ts';
import { queryClient } from '../../data/query-client.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Badge } from '../../ui/display/badge.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { reload } from '../settings-data.ts';
import type { ChangeAgent } from './agent-options.ts';
import { PublishDialog } from './agent-publish.tsx';
import { draftQuery } from './agents-data.ts';

export interface Edited {
  /** As the page shows it: with the draft's settings, if there is one. */
  agent: Agent;
  draft: AgentDraft | null;
  change: ChangeAgent;
}

const contentOf = (agent: AgentContent): AgentContent =>
  Object.fromEntries(versionedFields.map((field) => [field, agent[field]])) as unknown as AgentContent;

async function saveDraft(published: Agent, body: AgentDraftWrite): Promise<AgentDraft> {
  const draft = await api<AgentDraft>('PUT', `/agents/${published.id}/draft`, { body });
  queryClient.setQueryData(draftQuery(published).queryKey, draft);
  return draft;
}

/** Undefined while the draft is being read. */
export function useEdited(published: Agent): Edited | undefined {
  const { id, hasDraft } = published;
  const query = useQuery({ ...draftQuery(published), enabled: hasDraft });
  // A draft is saved whole, so one change waits for the one before.
  const saving = useRef<Promise<unknown>>(Promise.resolve());
  const latest = useRef<AgentDraft | null>(null);
  const draft = hasDraft ? query.data : null;
  latest.current = draft ?? null;
  if (draft === undefined) return undefined;
  const agent: Agent = draft ? { ...published, ...contentOf(draft), hasApiKey: draft.hasApiKey } : published;
  const change: ChangeAgent = (body) => {
    const next = saving.current.then(async () => {
      const before = latest.current;
      if (before) {
        const { version: expectedVersion } = before;
        const whole = { ...contentOf(before), expectedVersion, ...body };
        latest.current = await saveDraft(published, whole as AgentDraftWrite);
      } else {
        await api('PATCH', `/agents/${id}`, { body });
        await reload(keys.agents);
      }
    });
    saving.current = next.catch(() => {});
    return next;
  };
  return { agent, draft, change };
}

export const fieldNames = (fields: readonly VersionedField[]): string =>
  fields.map((field) => t(`agents.field.${field}`)).join(', ');

export function DraftBar({ published, draft }: { published: Agent; draft: AgentDraft | null }) {
  const [isPublishing, setPublishing] = useState(false);
  const path = `/agents/${published.id}/draft`;
  const save = async (body: AgentDraftWrite) => {
    try {
      await saveDraft(published, body);
      await reload(keys.agents);
    } catch (error) {
      toast.failed(t('agents.draft.failed'), error);
    }
  };
  if (!draft) {
    return (
      <Bar text={t('agents.draft.none')}>
        <Button onClick={() => void save({})}>{t('agents.draft.start')}</Button>
      </Bar>
    );
  }
  return (
    <Bar
      mark={<Badge hue="orange">{t('agents.draft')}</Badge>}
      text={
        draft.isStale
          ? t('agents.draft.stale')
          : draft.changed.length === 0
            ? t('agents.draft.same')
            : t('agents.draft.changed', { fields: fieldNames(draft.changed) })
      }
    >
      <ConfirmButton
        tone="quiet"
        action={t('agents.draft.discard')}
        title={t('agents.draft.discard')}
        text={t('agents.draft.discardText')}
        failed={t('settings.failed')}
        onConfirm={async () => {
          await api('DELETE', path);
          await reload(keys.agents);
          toast.done(t('agents.draft.discarded'));
        }}
      />
      {draft.isStale ? (
        <Button onClick={() => void save(contentOf(draft))}>{t('agents.draft.saveAgain')}</Button>
      ) : (
        <Button tone="primary" disabled={draft.changed.length === 0} onClick={() => setPublishing(true)}>
          {t('agents.draft.publish')}
        </Button>
      )}
      {isPublishing && (
        <PublishDialog published={published} draft={draft} onClose={() => setPublishing(false)} />
      )}
    </Bar>
  );
}

function Bar({ mark, text, children }: { mark?: React.ReactNode; text: string; children: React.ReactNode }) {
  return (
    <section
      aria-label={t('agents.draft')}
      className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-panel border border-line bg-sunken px-3 py-2"
    >
      {mark}
      <p className="min-w-60 flex-1 text-muted">{text}</p>
      <span className="flex gap-2">{children}</span>
    </section>
  );
}
