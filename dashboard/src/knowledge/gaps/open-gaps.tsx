/** Questions of customers that agents could not answer: a person drafts an article from one, or dismisses it. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { KnowledgeGap } from '../../../../contract/knowledge-gaps.ts';
import { api } from '../../data/api.ts';
import { refresh } from '../../data/refresh.ts';
import { useMay } from '../../data/session.ts';
import { EntityList, LoadMore } from '../../settings/parts/entity-list.tsx';
import { Row } from '../../settings/parts/rows.tsx';
import { dateTime } from '../../texts/format.ts';
import { t, tn } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Badge } from '../../ui/display/badge.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { openGapsQuery } from '../knowledge-data.ts';
import { toItem } from '../knowledge-parts.tsx';

/** Nothing while there are none. */
export function OpenGaps() {
  const query = useInfiniteQuery(openGapsQuery);
  const gaps = query.data?.pages.flatMap(({ items }) => items) ?? [];
  if (gaps.length === 0) return null;
  return (
    <section aria-labelledby="knowledge-gaps" className="flex flex-col gap-3">
      <div>
        <h2 id="knowledge-gaps" className="text-md font-semibold">
          {t('knowledge.gaps')}
        </h2>
        <p className="text-pretty text-muted">{t('knowledge.gapsText')}</p>
      </div>
      <EntityList label={t('knowledge.gaps')} items={gaps} row={(gap) => <GapRow key={gap.id} gap={gap} />} />
      <LoadMore query={query} />
    </section>
  );
}

function GapRow({ gap }: { gap: KnowledgeGap }) {
  const { id, question, count, lastAt, examples, answeredBy } = gap;
  const navigate = useNavigate();
  const mayManage = useMay('knowledge.manage');
  const [busy, setBusy] = useState<'draft' | 'dismiss' | null>(null);
  const act = async (action: 'draft' | 'dismiss') => {
    setBusy(action);
    try {
      const { documentId } = await api<KnowledgeGap>('POST', `/knowledge/gaps/${id}/${action}`);
      if (action === 'draft' && documentId) await navigate(toItem('edit', documentId));
    } catch (error) {
      toast.failed(t('knowledge.gap.failed'), error);
    } finally {
      // Also after a rejection: somebody else may have decided.
      await refresh(openGapsQuery.queryKey);
      setBusy(null);
    }
  };
  const newest = examples[0];
  return (
    <Row
      stack
      title={<span title={question}>{question}</span>}
      text={`${tn('knowledge.gap.count', count)} · ${dateTime(lastAt)}`}
      badges={answeredBy && <Badge hue="green">{t('knowledge.gap.answered')}</Badge>}
      note={
        <span className="flex flex-wrap gap-x-4 text-sm">
          {newest && (
            <Link
              to="/inbox/$sessionId"
              params={{ sessionId: newest.sessionId }}
              className="underline underline-offset-2"
            >
              {t('knowledge.gap.conversation')}
            </Link>
          )}
          {answeredBy && (
            <Link
              {...toItem('documents', answeredBy.documentId)}
              className="min-w-0 truncate underline underline-offset-2"
            >
              {t('knowledge.gap.answer', { title: answeredBy.title })}
            </Link>
          )}
        </span>
      }
      end={
        mayManage && (
          <>
            <Button
              busy={busy === 'dismiss'}
              disabled={busy !== null}
              onClick={() => void act('dismiss')}
              aria-label={t('knowledge.gap.dismissOne', { question })}
            >
              {t('knowledge.gap.dismiss')}
            </Button>
            <Button
              busy={busy === 'draft'}
              disabled={busy !== null}
              onClick={() => void act('draft')}
              aria-label={t('knowledge.gap.draftOne', { question })}
            >
              {t('knowledge.gap.draft')}
            </Button>
          </>
        )
      }
    />
  );
}
