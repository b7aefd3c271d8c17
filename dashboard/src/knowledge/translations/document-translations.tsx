/** An article in all its languages: which are there, which are older than the original, and which are missing. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Languages } from 'lucide-react';
import { useState } from 'react';
import type {
  KnowledgeDocument,
  KnowledgeDocumentCreate,
  KnowledgeDocumentWithText,
} from '../../../../contract/knowledge.ts';
import { api } from '../../data/api.ts';
import { queryClient } from '../../data/query-client.ts';
import { useMay } from '../../data/session.ts';
import { Rows } from '../../settings/parts/rows.tsx';
import { Answer } from '../../settings/parts/section.tsx';
import { languageName } from '../../texts/language-name.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Badge } from '../../ui/display/badge.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { readAgain } from '../documents/document-actions.ts';
import { documentQuery, documentsQuery, helpCenterQuery } from '../knowledge-data.ts';
import { DocumentBadges, LinkRow, toItem } from '../knowledge-parts.tsx';
import { missingLanguages } from './missing-languages.ts';
import { useIsOlder } from './use-is-older.ts';

export function DocumentTranslations({ document }: { document: KnowledgeDocument }) {
  const mayManage = useMay('knowledge.manage');
  const originalId = document.translationOf ?? document.id;
  const original = useQuery(documentQuery(originalId));
  const translations = useInfiniteQuery(documentsQuery({ translationOf: originalId }));
  const languages = useQuery(helpCenterQuery).data?.languages ?? [];
  const others = translations.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <div className="flex flex-col gap-3">
      <p className="text-pretty text-muted">{t('knowledge.translations.text')}</p>
      <Answer query={original}>
        {(known) => (
          <Answer query={translations}>
            {() => (
              <Rows label={t('knowledge.translations')}>
                <Version document={known} shown={document.id} />
                {others.map((one) => (
                  <Version key={one.id} document={one} shown={document.id} />
                ))}
                {missingLanguages(
                  languages,
                  [known, ...others].map((one) => one.language),
                ).map((language) => (
                  <Missing key={language} language={language} original={known} mayManage={mayManage} />
                ))}
              </Rows>
            )}
          </Answer>
        )}
      </Answer>
    </div>
  );
}

function Version({ document, shown }: { document: KnowledgeDocument; shown: string }) {
  const { id, title, language, translationOf } = document;
  return (
    <LinkRow
      to={toItem('documents', id)}
      title={languageName(language)}
      badges={
        <>
          {translationOf === null && <Badge>{t('knowledge.translation.original')}</Badge>}
          {id === shown && <Badge>{t('knowledge.translation.shown')}</Badge>}
          <DocumentBadges document={document} />
          {translationOf !== null && <OlderBadge originalId={translationOf} id={id} />}
        </>
      }
      text={title}
    />
  );
}

const OlderBadge = ({ originalId, id }: { originalId: string; id: string }) =>
  useIsOlder(originalId, id) && <Badge hue="yellow">{t('knowledge.translation.older')}</Badge>;

interface MissingProps {
  language: string;
  original: KnowledgeDocumentWithText;
  mayManage: boolean;
}

function Missing({ language, original, mayManage }: MissingProps) {
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const name = languageName(language);
  const translate = async () => {
    setBusy(true);
    try {
      const draft = await createTranslation(original.id, language);
      await navigate(toItem('edit', draft.id));
    } catch (error) {
      toast.failed(t('knowledge.translation.failed'), error);
      setBusy(false);
    }
  };
  return (
    <li className="flex min-h-14 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-3 py-2 last:border-0">
      <span className="min-w-0 flex-1 truncate text-muted">{name}</span>
      <Badge>{t('knowledge.translation.missing')}</Badge>
      {mayManage && (
        <Button busy={busy} icon={<Languages className="size-3.5" />} onClick={() => void translate()}>
          {t('knowledge.translation.create', { language: name })}
        </Button>
      )}
    </li>
  );
}

/** A draft that begins with the text of the original: its headings, tables and images stay in place. */
async function createTranslation(originalId: string, language: string): Promise<KnowledgeDocument> {
  const { sourceId, title, text, audience, collectionId } = await queryClient.fetchQuery(
    documentQuery(originalId),
  );
  const body: KnowledgeDocumentCreate = {
    ...{ sourceId, title, text, audience, collectionId, language },
    translationOf: originalId,
  };
  const draft = await api<KnowledgeDocument>('POST', '/knowledge/documents', { body });
  await readAgain(draft.id);
  return draft;
}
