/** On a passage that a search found: its document is the right answer, so the search becomes a test question. */
import { Check } from 'lucide-react';
import { useState } from 'react';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Badge } from '../../ui/display/badge.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { addAnswer, useQuestions } from './questions-data.ts';

export function RightAnswer({ q, documentId, title }: { q: string; documentId: string; title: string }) {
  const questions = useQuestions();
  const [busy, setBusy] = useState(false);
  if (!questions) return null;
  if (questions.some((one) => one.q === q && one.documentIds.includes(documentId))) {
    return <Badge hue="green">{t('knowledge.question.isRight')}</Badge>;
  }
  const add = async () => {
    setBusy(true);
    try {
      await addAnswer(q, documentId, questions);
      toast.done(t('knowledge.question.added', { q }));
    } catch (error) {
      toast.failed(t('knowledge.question.addFailed'), error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button
      size="small"
      tone="quiet"
      icon={<Check className="size-3.5" />}
      busy={busy}
      aria-label={t('knowledge.question.rightOf', { title })}
      onClick={() => void add()}
    >
      {t('knowledge.question.right')}
    </Button>
  );
}
