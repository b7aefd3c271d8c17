/** The documents of a collection, from all sources; or those in none. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Folder } from 'lucide-react';
import { PageHeader } from '../../app/page-header.tsx';
import { useMay } from '../../data/session.ts';
import { EntityList, LoadMore } from '../../settings/parts/entity-list.tsx';
import { Answer } from '../../settings/parts/section.tsx';
import { t } from '../../texts/texts.ts';
import { DocumentRow } from '../documents/source-documents.tsx';
import { collectionsQuery, documentsQuery, sourcesQuery } from '../knowledge-data.ts';
import { BackLink, PageBody, toItem } from '../knowledge-parts.tsx';
import { useRowKeys } from '../row-keys.ts';

export function CollectionPage({ id }: { id: string }) {
  useRowKeys();
  const mayManage = useMay('knowledge.manage');
  const query = useInfiniteQuery(documentsQuery({ collectionId: id }));
  const sources = useQuery(sourcesQuery).data;
  const collection = useQuery(collectionsQuery).data?.find((one) => one.id === id);
  const name = id === 'none' ? t('knowledge.collection.inNone') : collection?.name;
  const documents = query.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <>
      <PageHeader
        title={name ?? t('knowledge.collection')}
        mark={
          mayManage ? (
            <BackLink to={toItem('help-center', 'collections')} label={t('knowledge.collections')} />
          ) : (
            <BackLink label={t('knowledge.all')} />
          )
        }
      />
      <PageBody>
        <Answer query={query}>
          {() => (
            <EntityList
              label={t('knowledge.documents')}
              items={documents}
              empty={{
                icon: <Folder className="size-4" />,
                title: t('knowledge.collection.empty'),
                text: t('knowledge.collection.emptyText'),
              }}
              row={(document) => (
                <DocumentRow
                  key={document.id}
                  document={document}
                  kind={sources?.find((one) => one.id === document.sourceId)?.kind}
                />
              )}
            />
          )}
        </Answer>
        <LoadMore query={query} />
      </PageBody>
    </>
  );
}
