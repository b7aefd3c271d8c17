/** The history of a document: each version beside the one before it, and an old text as the next version. */
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { History } from 'lucide-react';
import { useState } from 'react';
import type { KnowledgeDocument, KnowledgeVersion } from '../../../../contract/knowledge.ts';
import { api } from '../../data/api.ts';
import { usePersonOf } from '../../data/queries.ts';
import { ConfirmButton } from '../../settings/parts/confirm-button.tsx';
import { EntityList, LoadMore } from '../../settings/parts/entity-list.tsx';
import { Row } from '../../settings/parts/rows.tsx';
import { Answer } from '../../settings/parts/section.tsx';
import { fullDate } from '../../texts/format.ts';
import { t, tn } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { Badge } from '../../ui/display/badge.tsx';
import { Time } from '../../ui/display/time.tsx';
import { Dialog } from '../../ui/overlays/dialog.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { documentQuery, versionsQuery } from '../knowledge-data.ts';
import { Differences } from './differences.tsx';
import { readAgain } from './document-actions.ts';

export function DocumentVersions({
  document,
  mayRestore,
}: {
  document: KnowledgeDocument;
  mayRestore: boolean;
}) {
  const query = useInfiniteQuery(versionsQuery(document.id));
  const versions = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const personOf = usePersonOf();
  const [openVersion, setOpenVersion] = useState<number | null>(null);
  const open = versions.find(({ version }) => version === openVersion);
  return (
    <Answer query={query}>
      {() => (
        <div className="flex flex-col gap-3">
          <EntityList
            label={t('knowledge.versions')}
            items={versions}
            empty={{ icon: <History className="size-4" />, title: t('knowledge.version.none') }}
            row={(one) => (
              <Row
                key={one.version}
                title={t('knowledge.version', { version: one.version })}
                badges={one.isPublished && <Badge hue="green">{t('knowledge.version.inUse')}</Badge>}
                text={[one.title, personOf(one.createdBy)?.name].filter(Boolean).join(' · ')}
                end={<Time ago at={one.createdAt} className="tabular shrink-0 text-sm text-muted" />}
                onOpen={() => setOpenVersion(one.version)}
              />
            )}
          />
          <LoadMore query={query} />
          {open && (
            <CompareDialog
              document={document}
              versions={versions}
              chosen={open}
              mayRestore={mayRestore}
              onClose={() => setOpenVersion(null)}
            />
          )}
        </div>
      )}
    </Answer>
  );
}

function CompareDialog({
  document,
  versions,
  chosen,
  mayRestore,
  onClose,
}: {
  document: KnowledgeDocument;
  versions: readonly KnowledgeVersion[];
  chosen: KnowledgeVersion;
  mayRestore: boolean;
  onClose(): void;
}) {
  const before =
    versions.find(({ version }) => version < chosen.version) ?? versions.find((one) => one !== chosen);
  const [other, setOther] = useState(before?.version ?? null);
  const own = useQuery(documentQuery(document.id, chosen.version));
  const others = useQuery({ ...documentQuery(document.id, other ?? undefined), enabled: other !== null });
  const restore = async () => {
    if (!own.data) return;
    await api('PUT', `/knowledge/documents/${document.id}`, {
      body: { title: own.data.title, text: own.data.text, expectedVersion: document.version },
    });
    await readAgain(document.id);
    toast.done(t('knowledge.version.restored', { version: chosen.version }));
    onClose();
  };
  return (
    <Dialog
      open
      wide
      tall
      onOpenChange={onClose}
      title={t('knowledge.version', { version: chosen.version })}
      description={`${fullDate(chosen.createdAt)} · ${tn('knowledge.characters', chosen.characters)}`}
      footer={
        <>
          <Button onClick={onClose}>{t('ui.close')}</Button>
          {mayRestore && chosen.version !== document.version && (
            <ConfirmButton
              tone="primary"
              disabled={!own.data}
              action={t('knowledge.version.restore')}
              title={t('knowledge.version.restoreTitle', { version: chosen.version })}
              text={t('knowledge.version.restoreText', { next: document.version + 1 })}
              failed={t('knowledge.version.restoreFailed')}
              onConfirm={restore}
            />
          )}
        </>
      }
    >
      <div className="flex flex-col gap-3">
        {other !== null && (
          <Field label={t('knowledge.version.compareWith')}>
            {(ids) => (
              <Select
                {...ids}
                className="max-w-56"
                value={String(other)}
                onChange={(value) => setOther(Number(value))}
                options={versions
                  .filter(({ version }) => version !== chosen.version)
                  .map(({ version }) => ({
                    value: String(version),
                    label: t('knowledge.version', { version }),
                  }))}
              />
            )}
          </Field>
        )}
        <Answer query={own}>
          {({ text }) =>
            other === null ? (
              <Differences before="" after={text} />
            ) : (
              <Answer query={others}>
                {(compared) =>
                  other < chosen.version ? (
                    <Differences before={compared.text} after={text} />
                  ) : (
                    <Differences before={text} after={compared.text} />
                  )
                }
              </Answer>
            )
          }
        </Answer>
      </div>
    </Dialog>
  );
}
