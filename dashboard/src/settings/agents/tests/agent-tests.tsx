/** The tests of an agent: conversations, and what must hold of its reply to each. */
import { useQuery } from '@tanstack/react-query';
import { FlaskConical, Plus } from 'lucide-react';
import { useState } from 'react';
import type { AgentTestCase } from '../../../../../contract/agent-tests.ts';
import type { Agent } from '../../../../../contract/channels.ts';
import { limits } from '../../../../../contract/limits.ts';
import { t, tn } from '../../../texts/texts.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { Badge } from '../../../ui/display/badge.tsx';
import { EmptyState } from '../../../ui/display/states.tsx';
import { Row, Rows } from '../../parts/rows.tsx';
import { Answer } from '../../parts/section.tsx';
import { CaseDialog } from './case-dialog.tsx';
import { Runs } from './runs.tsx';
import { casesQuery } from './tests-data.ts';

export function AgentTests({ agent }: { agent: Agent }) {
  const cases = useQuery(casesQuery(agent.id));
  const [open, setOpen] = useState<AgentTestCase | 'new' | null>(null);
  return (
    <div className="flex flex-col gap-3 pt-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="min-w-60 flex-1 text-muted">{t('agents.tests.text')}</p>
        <Button
          icon={<Plus className="size-3.5" />}
          disabled={(cases.data?.length ?? 0) >= limits.agentTests.cases}
          onClick={() => setOpen('new')}
        >
          {t('agents.tests.add')}
        </Button>
      </div>
      <Answer query={cases}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState
              icon={<FlaskConical className="size-4" />}
              title={t('agents.tests.empty')}
              text={t('agents.tests.emptyText')}
            />
          ) : (
            <Rows label={t('agents.tests')}>
              {list.map((one) => (
                <Row
                  key={one.id}
                  title={one.name}
                  badges={one.source && <Badge>{t('agents.tests.taken')}</Badge>}
                  text={one.messages.findLast(({ role }) => role === 'user')?.content}
                  end={
                    <span className="tabular shrink-0 text-sm text-muted">
                      {tn('agents.tests.checks', one.checks.length)}
                    </span>
                  }
                  onOpen={() => setOpen(one)}
                />
              ))}
            </Rows>
          )
        }
      </Answer>
      {cases.data && <Runs agent={agent} hasCases={cases.data.length > 0} />}
      {open !== null && (
        <CaseDialog agentId={agent.id} known={open === 'new' ? null : open} onClose={() => setOpen(null)} />
      )}
    </div>
  );
}
