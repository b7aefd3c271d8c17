/** The settings of the chat widget next to a live preview. */
import { useQuery } from '@tanstack/react-query';
import { MessageCircle } from 'lucide-react';
import { useState } from 'react';
import type { Channel } from '../../../../contract/channels.ts';
import type { WidgetSettings as Settings, WidgetSettingsUpdate } from '../../../../contract/widget/widget.ts';
import { api } from '../../data/api.ts';
import { channelsQuery } from '../../data/queries.ts';
import { queryClient } from '../../data/query-client.ts';
import { refresh } from '../../data/refresh.ts';
import { t } from '../../texts/texts.ts';
import { CopyButton } from '../../ui/controls/copy-field.tsx';
import { Field } from '../../ui/controls/input.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { useSaved } from '../../ui/controls/use-saved.ts';
import { EmptyState, ErrorState, Skeleton } from '../../ui/display/states.tsx';
import { Section } from '../parts/section.tsx';
import { widgetQuery } from '../settings-data.ts';
import { IdentitySecret } from './identity-secret.tsx';
import { OpeningHoursPart } from './opening-hours.tsx';
import { WidgetLookFields } from './widget-look-fields.tsx';
import { WidgetService } from './widget-service.tsx';

export default function WidgetSettings() {
  const channels = useQuery(channelsQuery);
  const [chosen, setChosen] = useState<string | null>(null);
  if (channels.error) return <ErrorState error={channels.error} onRetry={() => void channels.refetch()} />;
  const ofSites = channels.data?.filter(({ type }) => type === 'web');
  if (!ofSites) return <Skeleton className="m-8 h-64 max-w-[640px]" />;
  const channel = ofSites.find(({ id }) => id === chosen) ?? ofSites[0];
  if (!channel) {
    return (
      <EmptyState
        icon={<MessageCircle className="size-4" />}
        title={t('widget.none.title')}
        text={t('widget.none.text')}
      />
    );
  }
  return (
    <div className="flex min-h-0 min-w-0 flex-1 max-xl:flex-col max-xl:overflow-y-auto">
      {/* Above the preview the form has its own height; beside it, its own scroll bar. */}
      <div className="flex min-h-0 min-w-0 flex-1 flex-col max-xl:flex-none">
        <Section title={t('widget.title')} description={t('widget.text')}>
          {ofSites.length > 1 && (
            <Field label={t('widget.channel')}>
              {(ids) => (
                <Select
                  {...ids}
                  value={channel.id}
                  options={ofSites.map(({ id, name }) => ({ value: id, label: name }))}
                  onChange={setChosen}
                />
              )}
            </Field>
          )}
          <Form key={channel.id} channel={channel} />
        </Section>
      </div>
      <Preview channel={channel} />
    </div>
  );
}

function Form({ channel }: { channel: Channel }) {
  const { data: settings, error, refetch } = useQuery(widgetQuery(channel.id));
  const { saved, save } = useSaved(t('widget.failed'));
  if (error) return <ErrorState error={error} onRetry={() => void refetch()} />;
  if (!settings) return <Skeleton className="h-64" />;
  const send = async (update: WidgetSettingsUpdate) => {
    const after = await api<Settings>('PATCH', `/channels/${channel.id}/widget`, { body: update });
    queryClient.setQueryData(widgetQuery(channel.id).queryKey, after);
  };
  const change = (field: string, update: WidgetSettingsUpdate) => save(field, () => send(update));
  const snippet = `<script src="${settings.scriptUrl}" async></script>`;
  return (
    <>
      <section className="flex flex-col gap-1">
        <h3 className="font-medium">{t('widget.snippet')}</h3>
        <div className="flex items-start gap-1 rounded-control border border-line bg-sunken p-2.5">
          <code className="min-w-0 flex-1 font-mono text-sm break-all select-all">{snippet}</code>
          <CopyButton value={snippet} label={t('widget.copy')} />
        </div>
        <p className="text-sm text-muted">{t('widget.snippetHint')}</p>
      </section>
      <WidgetLookFields settings={settings} saved={saved} onChange={change} />
      <WidgetService settings={settings} onSave={send} />
      <OpeningHoursPart settings={settings} onSave={send} />
      <IdentitySecret channelId={channel.id} onMade={() => void refresh(widgetQuery(channel.id).queryKey)} />
    </>
  );
}

/** The real widget on a preview page, reloaded with every change. */
function Preview({ channel }: { channel: Channel }) {
  const { data: settings } = useQuery(widgetQuery(channel.id));
  return (
    <section
      aria-label={t('widget.preview')}
      className="flex flex-col gap-2 border-line p-4 max-xl:h-[760px] max-xl:shrink-0 max-xl:border-t xl:w-[480px] xl:border-l"
    >
      <h3 className="font-medium">{t('widget.preview')}</h3>
      <iframe
        key={JSON.stringify(settings)}
        title={t('widget.preview')}
        src={`/widget/preview?channel=${channel.id}`}
        className="min-h-0 w-full flex-1 rounded-panel border border-line"
      />
    </section>
  );
}
