/** Beside a rule, or below it where there is no room: what it would do, what it did, and why it did not run. */
import { type ComponentProps, useState } from 'react';
import type { Automation } from '../../../../contract/automation/automations.ts';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { Tabs } from '../../ui/controls/tabs.tsx';
import { RuleRuns } from './rule-runs.tsx';
import { RuleTrial } from './rule-trial.tsx';
import { RuleVerdicts } from './rule-verdicts.tsx';

interface RuleSideProps extends ComponentProps<typeof RuleTrial> {
  rule: Automation | null;
  isBeside: boolean;
}

export function RuleSide({ rule, isBeside, ...trial }: RuleSideProps) {
  // What it did is of interest once it may do something.
  const [tab, setTab] = useState(rule?.enabled ? 'runs' : 'try');
  return (
    <aside
      aria-label={t('automation.side')}
      className={cx(
        'flex flex-col gap-3 border-line',
        isBeside ? 'w-[400px] shrink-0 overflow-y-auto border-l px-4 pt-2 pb-16' : 'border-t pt-2',
      )}
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
