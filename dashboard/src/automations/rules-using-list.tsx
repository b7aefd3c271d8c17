import { useQuery } from '@tanstack/react-query';
import { UseList } from '../settings/parts/use-list.tsx';
import { t } from '../texts/texts.ts';
import { rulesQuery } from './rule-data.ts';

export default function RulesUsingList({ id }: { id: string }) {
  const rules = useQuery(rulesQuery(id)).data ?? [];
  if (rules.length === 0) return null;
  return (
    <div className="mb-4 flex flex-col gap-2">
      <p className="text-pretty text-warning">{t('automation.usedByRules')}</p>
      <UseList
        label={t('automation.usedByRules')}
        uses={rules.map((rule) => ({ type: 'automation', id: rule.id, name: rule.name }))}
      />
    </div>
  );
}
