/** One channel: who answers on it and on which board, and where its messages are sent. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import type { Static } from 'typebox';
import type { Channel, ChannelUpdate, WebhookSecretAnswer } from '../../../../contract/channels.ts';
import { type ChannelType, limits } from '../../../../contract/limits.ts';
import { api } from '../../data/api.ts';
import { ApiError } from '../../data/errors.ts';
import { channelsQuery, keys } from '../../data/queries.ts';
import { useMay } from '../../data/session.ts';
import { t } from '../../texts/texts.ts';
import { type Tab, Tabs } from '../../ui/controls/tabs.tsx';
import { ErrorState, Skeleton } from '../../ui/display/states.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { SavedHours } from '../hours/saved-hours.tsx';
import { Danger } from '../parts/danger.tsx';
import { SavedSelect, SavedSwitch, SavedText } from '../parts/saved-fields.tsx';
import { IdField, SecretPart } from '../parts/secret-part.tsx';
import { Answer, Part, RowsSkeleton, Section, SectionSkeleton } from '../parts/section.tsx';
import { reload } from '../settings-data.ts';
import { Deliveries } from '../webhooks/deliveries.tsx';
import { ChannelAgents } from './channel-agents.tsx';
import { ChannelAssignment } from './channel-assignment.tsx';
import { ChannelBadges } from './channel-badges.tsx';
import { channelTypeOptions } from './channel-types.tsx';
import { connectItem, connectorOf } from './connect/connector-data.ts';

const ConnectPage = lazy(() => import('./connect/connect-page.tsx'));
const Connection = lazy(() => import('./connect/connection.tsx'));
const TrafficLog = lazy(() => import('./connect/traffic-log.tsx'));

type ChangeChannel = (body: ChannelUpdate) => Promise<void>;

const parent = () => ({ id: 'channels', label: t('settings.channels') });

export default function ChannelSettings({ itemId }: { itemId: string }) {
  return itemId === connectItem ? <ConnectPage /> : <KnownChannel itemId={itemId} />;
}

function KnownChannel({ itemId }: { itemId: string }) {
  const channels = useQuery(channelsQuery);
  return (
    <Answer query={channels} loading={<SectionSkeleton parent={parent()} />}>
      {(list) => {
        const channel = list.find(({ id }) => id === itemId);
        if (!channel) return <ErrorState error={new ApiError(404, 'NOT_FOUND', '', '')} />;
        return <ChannelPage channel={channel} />;
      }}
    </Answer>
  );
}

function ChannelPage({ channel }: { channel: Channel }) {
  const [tab, setTab] = useState('settings');
  const { webhookUrl } = channel;
  const form = <ChannelForm channel={channel} />;
  const tabs: Tab[] = [
    { value: 'settings', label: t('settings.title'), content: <div className="pt-5">{form}</div> },
  ];
  if (connectorOf(channel)) {
    tabs.push({
      value: 'log',
      label: t('connectors.log'),
      content: (
        <div className="pt-4">
          <Suspense fallback={<RowsSkeleton rows={6} />}>
            <TrafficLog channelId={channel.id} />
          </Suspense>
        </div>
      ),
    });
  }
  if (webhookUrl) {
    tabs.push({
      value: 'deliveries',
      label: t('webhooks.deliveries'),
      content: (
        <div className="pt-4">
          <Deliveries endpointId={channel.id} url={webhookUrl} enabled />
        </div>
      ),
    });
  }
  return (
    <Section
      parent={parent()}
      name={channel.name}
      title={
        <span className="flex flex-wrap items-center gap-2">
          {channel.name} <ChannelBadges channel={channel} />
        </span>
      }
    >
      {tabs.length > 1 ? <Tabs flush label={channel.name} value={tab} onChange={setTab} tabs={tabs} /> : form}
    </Section>
  );
}

const transcriptions = ['opus', 'all', 'off'] as const;
type Transcription = (typeof transcriptions)[number];

function ChannelForm({ channel }: { channel: Channel }) {
  const navigate = useNavigate();
  const { id, settings } = channel;
  const mayForward = useMay('webhooks.manage');
  const change: ChangeChannel = async (body) => {
    await api('PATCH', `/channels/${id}`, { body });
    await reload(keys.channels);
  };
  const current = transcriptions.find((one) => one === settings.transcribe) ?? 'opus';
  return (
    <div className="flex max-w-[640px] flex-col gap-6">
      <Suspense fallback={connectorOf(channel) && <Skeleton className="h-36 w-full rounded-panel" />}>
        <Connection channel={channel} />
      </Suspense>
      <EnabledSwitch channel={channel} change={change} />
      <SavedText
        label={t('channels.name')}
        required
        maxLength={limits.nameLength}
        value={channel.name}
        onSave={(name) => change({ name })}
      />
      <SavedText
        label={t('channels.identifier')}
        hint={t('channels.identifierHint')}
        mono
        required
        maxLength={limits.nameLength}
        value={channel.identifier}
        onSave={(identifier) => change({ identifier })}
      />
      <SavedSelect<ChannelType>
        label={t('channels.type')}
        value={channel.type}
        options={channelTypeOptions()}
        disabled={connectorOf(channel) !== null}
        onSave={(type) => change({ type })}
      />
      <ChannelAgents channel={channel} change={change} />
      <ChannelAssignment channel={channel} change={change} />
      <Part title={t('settings.hours')} text={t('channels.hoursText')}>
        <SavedHours
          hint={channel.type === 'web' ? t('channels.hoursOfChat') : undefined}
          none={t('channels.defaultHours')}
          hoursId={channel.hoursId}
          onSave={(hoursId) => change({ hoursId })}
        />
      </Part>
      <Part title={t('channels.messages')} text={t('channels.messagesText')}>
        <SavedText
          label={t('channels.webhookUrl')}
          hint={mayForward ? t('channels.webhookUrlHint') : t('settings.addressRight')}
          disabled={!mayForward}
          mono
          type="url"
          value={channel.webhookUrl ?? ''}
          onSave={(url) => change({ webhookUrl: url === '' ? null : url })}
        />
        <SavedSwitch
          label={t('channels.forward')}
          hint={t('channels.forwardHint')}
          disabled={!mayForward}
          checked={channel.forwardIncoming}
          onSave={(forwardIncoming) => change({ forwardIncoming })}
        />
        <SavedSelect<Transcription>
          label={t('channels.transcribe')}
          hint={t('channels.transcribeHint')}
          value={current}
          options={transcriptions.map((value) => ({ value, label: t(`channels.transcribe.${value}`) }))}
          onSave={(transcribe) => change({ settings: { ...settings, transcribe } })}
        />
      </Part>
      <SecretPart
        text={t('channels.secretText')}
        rotate={async () =>
          (await api<Static<typeof WebhookSecretAnswer>>('POST', `/channels/${id}/rotate-secret`))
            .webhookSecret
        }
      />
      <IdField id={id} />
      <Danger
        title={t('channels.delete')}
        text={t('channels.deleteText')}
        consequence={t('channels.deleteConsequence')}
        name={channel.name}
        usesOf={channel.id}
        action={t('ui.delete')}
        failed={t('channels.deleteFailed')}
        onConfirm={async () => {
          await api('DELETE', `/channels/${id}`);
          await navigate({ to: '/settings/$section', params: { section: 'channels' } });
          await reload(keys.channels);
          toast.done(t('channels.deleted', { name: channel.name }));
        }}
      />
    </div>
  );
}

/** Whether the channel receives and sends at all, and what happens to messages while it does not. */
function EnabledSwitch({ channel, change }: { channel: Channel; change: ChangeChannel }) {
  const connector = connectorOf(channel);
  return (
    <SavedSwitch
      label={t('connectors.enabled')}
      hint={
        connector
          ? `${t('connectors.enabledHint')} ${t(`connectors.missed.${connector.kind}`)}`
          : t('connectors.enabledHint')
      }
      checked={channel.enabled}
      onSave={(enabled) => change({ enabled })}
    />
  );
}
