/** A new test question: what a customer asks, and the documents that answer it. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { limits } from '../../../../contract/limits.ts';
import { FormDialog } from '../../settings/parts/form-dialog.tsx';
import { t } from '../../texts/texts.ts';
import { Checkbox } from '../../ui/controls/checkbox.tsx';
import { SearchInput } from '../../ui/controls/input.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { documentsQuery, foundQuery } from '../knowledge-data.ts';
import { useSettledText } from '../settled-text.ts';
import { addQuestion } from './questions-data.ts';

interface Choice {
  id: string;
  title: string;
}

export function QuestionForm({ onClose }: { onClose(): void }) {
  const [q, setQ] = useState('');
  const [title, setTitle] = useState('');
  const [chosen, setChosen] = useState<readonly Choice[]>([]);
  const offered = useOffered(useSettledText(q), useSettledText(title));
  const shown = [...chosen, ...offered.filter(({ id }) => chosen.every((one) => one.id !== id))];
  const toggle = (choice: Choice, isChosen: boolean) =>
    setChosen((now) => (isChosen ? [...now, choice] : now.filter(({ id }) => id !== choice.id)));
  return (
    <FormDialog
      title={t('knowledge.question.add')}
      action={t('ui.add')}
      ready={q.trim() !== '' && chosen.length > 0 && chosen.length <= limits.judgedQuestion.documents}
      onSubmit={() => addQuestion({ q: q.trim(), documentIds: chosen.map(({ id }) => id) })}
      onClose={onClose}
    >
      <TextField
        label={t('knowledge.question.q')}
        hint={t('knowledge.question.qHint')}
        autoFocus
        value={q}
        maxLength={limits.judgedQuestion.length}
        onChange={setQ}
      />
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 font-medium">{t('knowledge.question.documents')}</legend>
        <p className="text-sm text-muted">{t('knowledge.question.documentsHint')}</p>
        <SearchInput label={t('knowledge.document.find')} value={title} onChange={setTitle} />
        <ul
          aria-label={t('knowledge.documents')}
          className="flex max-h-64 flex-col gap-2 overflow-y-auto py-1"
        >
          {shown.map((choice) => (
            <li key={choice.id}>
              <Checkbox
                label={choice.title}
                showLabel
                checked={chosen.some(({ id }) => id === choice.id)}
                onChange={(isChosen) => toggle(choice, isChosen)}
              />
            </li>
          ))}
        </ul>
      </fieldset>
    </FormDialog>
  );
}

/** Documents with this title; without one, those that the search finds for the question. */
function useOffered(q: string, title: string): readonly Choice[] {
  const titled = useInfiniteQuery({ ...documentsQuery({ q: title }), enabled: title !== '' });
  const found = useQuery(foundQuery(q)).data?.passages ?? [];
  if (title !== '') return titled.data?.pages[0]?.items ?? [];
  if (q === '') return [];
  return [...new Map(found.map((passage) => [passage.documentId, passage.title]))].map(
    ([id, its]): Choice => ({ id, title: its }),
  );
}
