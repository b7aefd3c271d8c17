/** Creates a source, or changes one: its name and language, and for a website what is read of it. */
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { KnowledgeSource } from '../../../../contract/knowledge.ts';
import { limits } from '../../../../contract/limits.ts';
import { api } from '../../data/api.ts';
import { ExplainedError } from '../../data/errors.ts';
import { refresh } from '../../data/refresh.ts';
import { FormDialog } from '../../settings/parts/form-dialog.tsx';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { TextField } from '../../ui/controls/text-field.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { knowledgeKeys } from '../knowledge-data.ts';
import { SourceIcon, toItem } from '../knowledge-parts.tsx';
import { LanguageSelect } from '../language-select.tsx';
import { WebsiteFields } from './website-fields.tsx';
import {
  type FieldProblem,
  problemOf,
  readSettings,
  refusedField,
  startSettings,
  type WebsiteForm,
} from './website-form.ts';

type Kind = KnowledgeSource['kind'];
const kinds = ['website', 'files', 'articles'] as const satisfies readonly Kind[];

export function SourceForm({ source, onClose }: { source: KnowledgeSource | null; onClose(): void }) {
  const navigate = useNavigate();
  const [kind, setKind] = useState<Kind>(source?.kind ?? 'website');
  const [name, setName] = useState(source?.name ?? '');
  const [language, setLanguage] = useState(source?.language ?? '');
  const [website, setWebsite] = useState<WebsiteForm>(() => startSettings(source?.settings ?? {}));
  const isWebsite = kind === 'website';
  const [problem, setProblem] = useState<FieldProblem | null>(null);
  const fail = (found: FieldProblem): never => {
    setProblem(found);
    const field = t(`knowledge.website.${found.field}`);
    throw new ExplainedError(t('knowledge.source.checkField', { field }));
  };
  const submit = async () => {
    setProblem(null);
    const wrong = isWebsite && problemOf(website);
    if (wrong) fail(wrong);
    try {
      await save();
    } catch (error) {
      const refused = refusedField(website, error);
      if (!refused) throw error;
      fail(refused);
    }
  };
  const save = async () => {
    const body = {
      name: name.trim(),
      language: language || null,
      ...(isWebsite && { settings: readSettings(website) }),
    };
    if (source) {
      await api('PATCH', `/knowledge/sources/${source.id}`, { body });
      await refresh(knowledgeKeys.sources);
      return;
    }
    const made = await api<KnowledgeSource>('POST', '/knowledge/sources', { body: { ...body, kind } });
    if (isWebsite) {
      // The source exists in any case: its page offers to start again.
      await api('POST', `/knowledge/sources/${made.id}/sync`).catch((error) =>
        toast.failed(t('knowledge.run.startFailed'), error),
      );
    }
    await refresh(knowledgeKeys.sources);
    await navigate(toItem('sources', made.id));
  };
  return (
    <FormDialog
      title={source ? t('knowledge.source.settings') : t('knowledge.source.add')}
      action={source ? t('ui.save') : isWebsite ? t('knowledge.source.createAndSync') : t('ui.create')}
      ready={name.trim() !== '' && (!isWebsite || website.startUrls.trim() !== '')}
      onSubmit={submit}
      onClose={onClose}
      wide={isWebsite}
    >
      {!source && <KindChoice kind={kind} onChange={setKind} />}
      <TextField
        label={t('knowledge.source.name')}
        value={name}
        maxLength={limits.nameLength}
        onChange={setName}
      />
      {isWebsite && <WebsiteFields form={website} problem={problem} onChange={setWebsite} />}
      <LanguageSelect
        label={t('knowledge.language')}
        hint={t('knowledge.source.languageHint')}
        value={language}
        none={t('knowledge.source.workspaceLanguage')}
        onChange={setLanguage}
      />
    </FormDialog>
  );
}

function KindChoice({ kind, onChange }: { kind: Kind; onChange(kind: Kind): void }) {
  return (
    <fieldset>
      <legend className="mb-1 font-medium">{t('knowledge.source.kind')}</legend>
      <div className="grid gap-2 sm:grid-cols-3">
        {kinds.map((one) => (
          <label
            key={one}
            className={cx(
              'flex flex-col gap-1 rounded-panel border p-3 transition-colors hover:bg-hover has-focus-visible:outline-2 has-focus-visible:outline-accent',
              one === kind ? 'border-accent bg-accent-soft' : 'border-line',
            )}
          >
            <span className="flex items-center gap-2 font-medium">
              <input
                type="radio"
                name="knowledge-kind"
                className="sr-only"
                checked={one === kind}
                onChange={() => onChange(one)}
              />
              <SourceIcon kind={one} />
              {t(`knowledge.kind.${one}`)}
            </span>
            <span className="text-sm text-pretty text-muted">{t(`knowledge.kindText.${one}`)}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
