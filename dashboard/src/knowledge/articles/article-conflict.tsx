/** Somebody else has saved the article in the meantime: both texts, and which one goes on. */
import { useState } from 'react';
import type { KnowledgeDocumentWithText } from '../../../../contract/knowledge.ts';
import { usePersonOf } from '../../data/queries.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Differences } from '../documents/differences.tsx';
import { Notice } from '../knowledge-parts.tsx';

interface ArticleConflictProps {
  theirs: KnowledgeDocumentWithText;
  mine: { title: string; text: string };
  onKeepMine(): void;
  onTakeTheirs(): void;
}

export function ArticleConflict({ theirs, mine, onKeepMine, onTakeTheirs }: ArticleConflictProps) {
  const [isShown, setShown] = useState(true);
  const name = usePersonOf()(theirs.updatedBy)?.name;
  const { version } = theirs;
  return (
    <section role="alert" className="flex flex-col gap-3">
      <Notice
        tone="warning"
        action={
          <>
            <Button onClick={onTakeTheirs}>{t('knowledge.conflict.takeTheirs')}</Button>
            <Button tone="primary" onClick={onKeepMine}>
              {t('knowledge.conflict.keepMine')}
            </Button>
          </>
        }
      >
        <p className="font-medium">
          {name
            ? t('knowledge.conflict.title', { name, version })
            : t('knowledge.conflict.somebody', { version })}
        </p>
        <p>{t('knowledge.conflict.text')}</p>
        <button
          type="button"
          aria-expanded={isShown}
          className="underline underline-offset-2"
          onClick={() => setShown(!isShown)}
        >
          {isShown ? t('knowledge.conflict.hide') : t('knowledge.conflict.show')}
        </button>
      </Notice>
      {isShown && (
        <Differences
          before={`${theirs.title}\n\n${theirs.text}`}
          after={`${mine.title.trim()}\n\n${mine.text}`}
        />
      )}
    </section>
  );
}
