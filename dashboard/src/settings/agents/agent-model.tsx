/** Provider, model, address and key. They only make sense together, so a change of provider is saved as one. */
import { type FormEvent, useState } from 'react';
import { type Agent, keyOrigin, type Provider } from '../../../../contract/channels.ts';
import { useMay } from '../../data/session.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field, Input } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { TextField } from '../../ui/controls/text-field.tsx';
import { Badge } from '../../ui/display/badge.tsx';
import { SavedMark, useSaving } from '../parts/saved-fields.tsx';
import { type ChangeAgent, providerOptions } from './agent-options.ts';
import { AgentPrice } from './agent-price.tsx';

interface TypedKey {
  origin: ReturnType<typeof keyOrigin>;
  text: string;
}

export function AgentModel({
  agent,
  published,
  change,
}: {
  agent: Agent;
  /** Of a draft: it has a key of its own only if it points to another origin than this. */
  published: Agent | null;
  change: ChangeAgent;
}) {
  const [provider, setProvider] = useState<Provider>(agent.provider);
  const [model, setModel] = useState(agent.model ?? '');
  const [baseUrl, setBaseUrl] = useState(agent.baseUrl ?? '');
  const [typedKey, setTypedKey] = useState<TypedKey | null>(null);
  const { saved, error, run } = useSaving();
  const mayAddress = useMay('webhooks.manage');
  const isModel = provider !== 'offline';
  const next = {
    provider,
    model: isModel && model.trim() ? model.trim() : null,
    baseUrl: isModel && baseUrl.trim() ? baseUrl.trim() : null,
  };
  const isChanged =
    next.provider !== agent.provider || next.model !== agent.model || next.baseUrl !== agent.baseUrl;
  const isWhole =
    !isModel || (next.model !== null && (provider !== 'openai-compatible' || next.baseUrl !== null));
  // The service removes a key that would go to another origin than the one it was entered for.
  const origin = keyOrigin(next);
  const isPublishedOrigin = published !== null && origin === keyOrigin(published);
  const losesKey = agent.hasApiKey && origin !== keyOrigin(agent) && !isPublishedOrigin;
  // A key goes to no other origin than the one it was typed for.
  const newKey = typedKey?.origin === origin ? typedKey.text : '';
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const apiKey = losesKey && isModel && newKey ? { apiKey: newKey } : {};
    if (await run(() => change({ ...next, ...apiKey }))) {
      setTypedKey((now) => (now === typedKey ? null : now));
    }
  };
  return (
    <>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field label={t('agents.provider')} hint={t(`agents.providerHint.${provider}`)}>
          {(ids) => (
            <Select<Provider> {...ids} value={provider} options={providerOptions()} onChange={setProvider} />
          )}
        </Field>
        {isModel && (
          <>
            <TextField label={t('agents.model')} mono value={model} onChange={setModel} />
            <TextField
              label={t('agents.baseUrl')}
              hint={mayAddress ? t(`agents.baseUrlHint.${provider}`) : t('settings.addressRight')}
              disabled={!mayAddress}
              type="url"
              mono
              value={baseUrl}
              onChange={setBaseUrl}
            />
            {losesKey && (
              <TextField
                label={t('agents.keyAgain')}
                hint={t('agents.keyAgainHint')}
                type="password"
                autoComplete="off"
                placeholder={t('agents.enterKey')}
                value={newKey}
                onChange={(text) => setTypedKey({ origin, text })}
              />
            )}
          </>
        )}
        {losesKey && !isModel && <p className="text-sm text-muted">{t('agents.keyRemoved')}</p>}
        {error && (
          <p role="alert" className="text-danger">
            {error}
          </p>
        )}
        <div className="flex items-center gap-3">
          {isChanged && (
            <Button type="submit" tone="primary" disabled={!isWhole}>
              {t('agents.saveModel')}
            </Button>
          )}
          <SavedMark saved={saved} />
        </div>
      </form>
      {agent.provider !== 'offline' && !losesKey && !isPublishedOrigin && (
        <ApiKey agent={agent} change={change} />
      )}
      {agent.provider !== 'offline' && <AgentPrice agent={agent} change={change} />}
    </>
  );
}

/** The key can be set but never read. */
function ApiKey({ agent, change }: { agent: Agent; change: ChangeAgent }) {
  const [key, setKey] = useState('');
  const { saved, error, run } = useSaving();
  const set = async (apiKey: string | null) => {
    if (await run(() => change({ apiKey }))) setKey('');
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (key) void set(key);
      }}
    >
      <Field
        label={
          <span className="flex items-center gap-2">
            {t('agents.apiKey')}
            <Badge hue={agent.hasApiKey ? 'green' : undefined}>
              {agent.hasApiKey ? t('agents.keySet') : t('agents.noKey')}
            </Badge>
          </span>
        }
        hint={t('agents.apiKeyHint')}
        error={error}
        saved={saved}
      >
        {(ids) => (
          <div className="flex gap-2">
            <Input
              {...ids}
              type="password"
              autoComplete="off"
              placeholder={agent.hasApiKey ? t('agents.replaceKey') : t('agents.enterKey')}
              value={key}
              onChange={(event) => setKey(event.target.value)}
            />
            <Button type="submit" className="h-8" disabled={!key}>
              {t('agents.setKey')}
            </Button>
            {agent.hasApiKey && (
              <Button tone="quiet" className="h-8" onClick={() => void set(null)}>
                {t('agents.removeKey')}
              </Button>
            )}
          </div>
        )}
      </Field>
    </form>
  );
}
