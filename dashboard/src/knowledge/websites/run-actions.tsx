/** What a person decides about a run: publish it, or cancel it. */
import { useState } from 'react';
import type { KnowledgeRun } from '../../../../contract/knowledge.ts';
import { api } from '../../data/api.ts';
import { refresh } from '../../data/refresh.ts';
import { useMay } from '../../data/session.ts';
import { ConfirmButton } from '../../settings/parts/confirm-button.tsx';
import { t, tn } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { knowledgeKeys } from '../knowledge-data.ts';

const act = async (run: KnowledgeRun, action: 'publish' | 'cancel') => {
  try {
    await api('POST', `/knowledge/runs/${run.id}/${action}`);
  } finally {
    // Also after a rejection: somebody else may have decided.
    await refresh(knowledgeKeys.all);
  }
};

export function RunActions({ run }: { run: KnowledgeRun }) {
  const mayManage = useMay('knowledge.manage');
  const [isPublishing, setPublishing] = useState(false);
  if (!mayManage || (run.state !== 'running' && run.state !== 'review')) return null;
  const publish = async () => {
    setPublishing(true);
    try {
      await act(run, 'publish');
      toast.done(t('knowledge.run.publishedNow'));
    } catch (error) {
      toast.failed(t('knowledge.run.publishFailed'), error);
    } finally {
      setPublishing(false);
    }
  };
  return (
    <>
      <ConfirmButton
        action={run.state === 'review' ? t('knowledge.run.discard') : t('knowledge.run.cancel')}
        title={run.state === 'review' ? t('knowledge.run.discardTitle') : t('knowledge.run.cancelTitle')}
        text={t('knowledge.run.cancelText')}
        failed={t('knowledge.run.cancelFailed')}
        onConfirm={() => act(run, 'cancel')}
      />
      {run.state === 'review' && (
        <Button
          tone="primary"
          busy={isPublishing}
          title={tn('knowledge.run.goneHint', run.counts.gone)}
          onClick={() => void publish()}
        >
          {t('knowledge.run.publish')}
        </Button>
      )}
    </>
  );
}
