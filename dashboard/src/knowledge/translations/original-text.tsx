/** The original beside the translation that is being written. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Answer } from '../../settings/parts/section.tsx';
import { languageName } from '../../texts/language-name.ts';
import { t } from '../../texts/texts.ts';
import { TextSkeleton } from '../documents/document-page.tsx';
import { DocumentText } from '../documents/document-text.tsx';
import { documentQuery } from '../knowledge-data.ts';
import { Notice, toItem } from '../knowledge-parts.tsx';
import { useIsOlder } from './use-is-older.ts';

export function OriginalText({ id, translationId }: { id: string; translationId: string }) {
  const query = useQuery(documentQuery(id));
  const isOlder = useIsOlder(id, translationId);
  return (
    <Answer query={query} loading={<TextSkeleton />}>
      {({ title, text, language }) => (
        <div className="flex flex-col gap-3">
          <p className="flex flex-wrap justify-between gap-2 text-sm text-muted">
            {languageName(language)}
            <Link {...toItem('documents', id)} className="underline underline-offset-2 hover:text-ink">
              {t('knowledge.translation.openOriginal')}
            </Link>
          </p>
          {isOlder && <Notice tone="warning">{t('knowledge.translation.olderText')}</Notice>}
          <div lang={language} className="flex flex-col gap-3">
            <h2 className="text-xl font-semibold text-balance">{title}</h2>
            <DocumentText text={text} />
          </div>
        </div>
      )}
    </Answer>
  );
}
