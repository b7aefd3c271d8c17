/** Beside a rule: what it did, and why it did not run. */
import { useState } from 'react';
import type { Automation } from '../../../../contract/automation/automations.ts';
import { t } from '../../texts/texts.ts';
import { Tabs } from '../../ui/controls/tabs.tsx';
import { RuleRuns } from './rule-runs.tsx';
import { RuleVerdicts } from './rule-verdicts.tsx';

export function RuleSide({ rule }: { rule: Automation | null }) {
  const [tab, setTab] = useState('runs');
  return (
    <aside
      aria-label={t('automation.side')}
      className="flex flex-col gap-3 border-line px-4 pt-2 pb-16 max-[1399px]:border-t md:px-10 min-[1400px]:w-[400px] min-[1400px]:shrink-0 min-[1400px]:overflow-y-auto min-[1400px]:border-l min-[1400px]:px-4"
    >
      <Tabs
        flush
        label={t('automation.side')}
        value={tab}
        onChange={setTab}
        tabs={[
          {
            value: 'runs',
            label: t('automation.runs'),
            content: rule ? <RuleRuns ruleId={rule.id} /> : <NotYet />,
          },
          {
            value: 'verdicts',
            label: t('automation.verdicts'),
            content: rule ? <RuleVerdicts ruleId={rule.id} /> : <NotYet />,
          },
        ]}
      />
    </aside>
  );
}

const NotYet = () => <p className="py-6 text-center text-muted">{t('automation.notYet')}</p>;
