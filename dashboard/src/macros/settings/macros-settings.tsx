import { useQuery } from '@tanstack/react-query';
import { Zap } from 'lucide-react';
import { useState } from 'react';
import type { Macro } from '../../../../contract/macros.ts';
import { usePersonOf } from '../../data/queries.ts';
import { useSignedIn } from '../../data/session.ts';
import { CreateButton, EntityList } from '../../settings/parts/entity-list.tsx';
import { Row } from '../../settings/parts/rows.tsx';
import { Answer, Section } from '../../settings/parts/section.tsx';
import { t } from '../../texts/texts.ts';
import { Badge } from '../../ui/display/badge.tsx';
import { macrosQuery } from '../macro-data.ts';
import { useStepWords } from '../step-words.ts';
import { MacroEditor } from './macro-editor.tsx';

export default function MacrosSettings() {
  const macros = useQuery(macrosQuery);
  const personOf = usePersonOf();
  const words = useStepWords();
  const { user } = useSignedIn();
  const [open, setOpen] = useState<Macro | 'new' | null>(null);
  const mayChange = (macro: Macro) => macro.ownerId === user.id || user.permissions.includes('shared.manage');
  return (
    <Section
      title={t('settings.macros')}
      description={t('macros.text')}
      actions={<CreateButton label={t('macros.new')} onClick={() => setOpen('new')} />}
    >
      <Answer query={macros}>
        {(list) => (
          <EntityList
            label={t('settings.macros')}
            items={list}
            empty={{
              icon: <Zap className="size-4" />,
              title: t('macros.empty'),
              text: t('macros.emptyText'),
            }}
            search={{ label: t('macros.search'), textOf: ({ name }) => name }}
            row={(macro) => (
              <Row
                key={macro.id}
                title={macro.name}
                badges={
                  <Badge hue={macro.shared ? 'blue' : undefined}>
                    {macro.shared ? t('macros.shared') : t('macros.own')}
                  </Badge>
                }
                text={macro.steps.map(words).join(' → ')}
                end={
                  macro.ownerId !== user.id && (
                    <span className="text-sm text-muted max-sm:hidden">{personOf(macro.ownerId)?.name}</span>
                  )
                }
                onOpen={mayChange(macro) ? () => setOpen(macro) : undefined}
              />
            )}
          />
        )}
      </Answer>
      {open && <MacroEditor macro={open === 'new' ? null : open} onClose={() => setOpen(null)} />}
    </Section>
  );
}
