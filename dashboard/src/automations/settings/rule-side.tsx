/** Beside a rule: what it would do, what it did, and why it did not run. */
import { type ComponentProps, useState } from 'react';
import type { Automation } from '../../../../contract/automation/automations.ts';
import { t } from '../../texts/texts.ts';
import { Tabs } from '../../ui/controls/tabs.tsx';
import { RuleRuns } from './rule-runs.tsx';
import { RuleTrial } from './rule-trial.tsx';
import { RuleVerdicts } from './rule-verdicts.tsx';

export function RuleSide({ rule, ...trial }: { rule: Automation | null } & ComponentProps<typeof RuleTrial>) {
  // What it did is of interest once it may do something.
  const [tab, setTab] = useState(rule?.enabled ? 'runs' : 'try');
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
          { value: 'try', label: t('automation.tryIt'), content: <RuleTrial {...trial} /> },
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
