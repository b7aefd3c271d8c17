/** Why rules did or did not run for a conversation or a card, the latest first; a run opens with its steps. */
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Verdict } from '../../../contract/automation/runs.ts';
import { useMay } from '../data/session.ts';
import { LoadMore } from '../settings/parts/entity-list.tsx';
import { Answer, RowsSkeleton } from '../settings/parts/section.tsx';
import { t } from '../texts/texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { Dialog } from '../ui/overlays/dialog.tsx';
import { placeVerdictsQuery, type VerdictPlace } from './rule-data.ts';
import { RunDetails } from './run-details.tsx';
import { VerdictRow } from './verdict-row.tsx';

export default function VerdictsDialog({ place, onClose }: { place: VerdictPlace; onClose(): void }) {
  const verdicts = useInfiniteQuery(placeVerdictsQuery(place));
  const mayManage = useMay('automation.manage');
  const all = verdicts.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('record.rules')}
      description={t('automation.placeText')}
      isText
    >
      <div className="flex flex-col gap-3">
        <Answer query={verdicts} loading={<RowsSkeleton rows={3} />}>
          {() =>
            all.length === 0 ? (
              <p className="py-6 text-center text-pretty text-muted">{t('automation.noPlaceVerdicts')}</p>
            ) : (
              <ul aria-label={t('record.rules')} className="flex flex-col rounded-panel border border-line">
                {all.map((verdict) => (
                  <VerdictRow
                    key={`${verdict.cause.id} ${verdict.ruleId}`}
                    verdict={verdict}
                    name={
                      verdict.ruleName === null ? (
                        t('automation.deletedRule')
                      ) : mayManage ? (
                        <Link
                          to="/settings/$section/$itemId"
                          params={{ section: 'automation', itemId: verdict.ruleId }}
                          className="hover:underline"
                        >
                          {verdict.ruleName}
                        </Link>
                      ) : (
                        verdict.ruleName
                      )
                    }
                  >
                    {mayManage && <RunOf verdict={verdict} />}
                  </VerdictRow>
                ))}
              </ul>
            )
          }
        </Answer>
        <LoadMore query={verdicts} />
      </div>
    </Dialog>
  );
}

function RunOf({ verdict: { runId } }: { verdict: Verdict }) {
  const [isOpen, setOpen] = useState(false);
  if (runId === null) return null;
  return (
    <>
      <span>
        <Button size="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {t(isOpen ? 'automation.hideSteps' : 'automation.showSteps')}
        </Button>
      </span>
      {isOpen && <RunDetails id={runId} />}
    </>
  );
}
