/** Search by meaning: which provider ranks passages by what they say, and how far it is. */
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Embedding } from '../../../../contract/knowledge-settings.ts';
import { NoAccess } from '../../app/no-page.tsx';
import { PageHeader } from '../../app/page-header.tsx';
import { useMay } from '../../data/session.ts';
import { ConfirmButton } from '../../settings/parts/confirm-button.tsx';
import { SavedMark, SavedSwitch, useSaving } from '../../settings/parts/saved-fields.tsx';
import { Answer } from '../../settings/parts/section.tsx';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { Badge } from '../../ui/display/badge.tsx';
import { ProgressBar } from '../../ui/display/progress.tsx';
import type { Hue } from '../../ui/hues.ts';
import { BackLink, Notice, PageBody } from '../knowledge-parts.tsx';
import { explain } from '../service-words.ts';
import { saveEmbedding, settingsQuery } from './meaning-data.ts';

export function MeaningPage() {
  const settings = useQuery(settingsQuery);
  const mayManage = useMay('knowledge.manage');
  if (!mayManage) return <NoAccess />;
  return (
    <>
      <PageHeader title={t('knowledge.meaning')} mark={<BackLink label={t('knowledge.all')} />} />
      <PageBody>
        <p className="text-pretty text-muted">{t('knowledge.meaning.text')}</p>
        <Answer query={settings}>
          {({ embedding }) => (
            <div className="flex max-w-[640px] flex-col gap-6">
              {embedding && <Progress embedding={embedding} />}
              <ProviderForm key={embedding ? 'stored' : 'none'} embedding={embedding} />
              {embedding && <Removal />}
            </div>
          )}
        </Answer>
      </PageBody>
    </>
  );
}

const hues: { [state in Embedding['state']]: Hue | undefined } = {
  off: undefined,
  working: 'blue',
  ready: 'green',
  problem: 'red',
};

function Progress({ embedding }: { embedding: Embedding }) {
  const { enabled, state, problem, passages, embedded, refused } = embedding;
  const done = embedded + refused;
  const text = t('knowledge.meaning.progress', { done: embedded, all: passages });
  return (
    <div className="flex flex-col gap-4">
      <SavedSwitch
        label={t('knowledge.meaning.enabled')}
        hint={t('knowledge.meaning.enabledHint')}
        checked={enabled}
        onSave={(isOn) => saveEmbedding({ enabled: isOn })}
      />
      <div className="flex flex-col gap-2 rounded-panel border border-line px-3 py-2.5">
        <div className="flex flex-wrap items-center justify-between gap-2">
          <span>{text}</span>
          <Badge hue={hues[state]}>{t(`knowledge.meaning.state.${state}`)}</Badge>
        </div>
        {done < passages && (
          <ProgressBar label={t('knowledge.meaning')} share={done / passages} valueText={text} />
        )}
        {refused > 0 && (
          <p className="text-sm text-pretty text-muted">
            {t('knowledge.meaning.refused', { count: refused })}
          </p>
        )}
      </div>
      {enabled && problem !== null && (
        <Notice tone="danger">
          {explain(problem)}
          <span className="block text-sm">{t('knowledge.meaning.problemText')}</span>
        </Notice>
      )}
    </div>
  );
}

const originOf = (address: string) => (URL.canParse(address) ? new URL(address).origin : null);

interface TypedKey {
  origin: string | null;
  text: string;
}

function ProviderForm({ embedding }: { embedding: Embedding | null }) {
  const [baseUrl, setBaseUrl] = useState(embedding?.baseUrl ?? '');
  const [model, setModel] = useState(embedding?.model ?? '');
  const [typedKey, setTypedKey] = useState<TypedKey | null>(null);
  const { saved, error, run } = useSaving();
  const mayAddress = useMay('webhooks.manage');
  const next = { baseUrl: baseUrl.trim(), model: model.trim() };
  const origin = originOf(next.baseUrl);
  // A key goes to no other origin than the one it was typed for, and the service removes a stored one.
  const key = typedKey?.origin === origin ? typedKey.text : '';
  const hasKey = embedding !== null && embedding.apiKey !== null;
  const losesKey = hasKey && origin !== originOf(embedding.baseUrl);
  const isChanged = next.baseUrl !== embedding?.baseUrl || next.model !== embedding.model || key !== '';
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const change = { provider: 'openai-compatible' as const, ...next, ...(key && { apiKey: key }) };
    if (await run(() => saveEmbedding(change))) setTypedKey(null);
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <TextField
        label={t('knowledge.meaning.baseUrl')}
        hint={mayAddress ? t('knowledge.meaning.baseUrlHint') : t('settings.addressRight')}
        disabled={!mayAddress}
        type="url"
        mono
        value={baseUrl}
        onChange={setBaseUrl}
      />
      <TextField
        label={t('knowledge.meaning.model')}
        hint={t('knowledge.meaning.modelHint')}
        mono
        spellCheck={false}
        value={model}
        onChange={setModel}
      />
      <TextField
        label={t('knowledge.meaning.apiKey')}
        hint={t(losesKey ? 'knowledge.meaning.keyLost' : 'knowledge.meaning.keyHint')}
        type="password"
        autoComplete="off"
        placeholder={hasKey && !losesKey ? t('knowledge.meaning.keyStored') : ''}
        value={key}
        onChange={(text) => setTypedKey({ origin, text })}
      />
      {error && (
        <p role="alert" className="text-danger">
          {error}
        </p>
      )}
      <div className="flex items-center gap-3">
        <Button
          type="submit"
          tone="primary"
          disabled={!isChanged || next.baseUrl === '' || next.model === ''}
        >
          {t('ui.save')}
        </Button>
        <SavedMark saved={saved} />
      </div>
    </form>
  );
}

const Removal = () => (
  <div className="border-t border-line pt-4">
    <ConfirmButton
      tone="danger"
      action={t('knowledge.meaning.remove')}
      title={t('knowledge.meaning.removeTitle')}
      text={t('knowledge.meaning.removeText')}
      failed={t('knowledge.meaning.removeFailed')}
      onConfirm={() => saveEmbedding(null)}
    />
  </div>
);
