import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Radio } from 'lucide-react';
import { agentsQuery, channelsQuery } from '../../data/queries.ts';
import { t } from '../../texts/texts.ts';
import { CreateButton, EntityList } from '../parts/entity-list.tsx';
import { Row, RowIcon } from '../parts/rows.tsx';
import { Answer, Section } from '../parts/section.tsx';
import { ChannelBadges } from './channel-badges.tsx';
import { ChannelTypeIcon } from './channel-types.tsx';
import { connectItem } from './connect/connector-data.ts';

export default function ChannelsSettings() {
  const channels = useQuery(channelsQuery);
  const agents = useQuery(agentsQuery).data ?? [];
  const navigate = useNavigate();
  const connect = () =>
    void navigate({
      to: '/settings/$section/$itemId',
      params: { section: 'channels', itemId: connectItem },
    });
  const agentName = (id: string) => agents.find((agent) => agent.id === id)?.name ?? '';
  return (
    <Section
      title={t('settings.channels')}
      description={t('channels.text')}
      actions={<CreateButton label={t('channels.new')} onClick={connect} />}
    >
      <Answer query={channels}>
        {(list) => (
          <EntityList
            label={t('settings.channels')}
            items={list}
            empty={{
              icon: <Radio className="size-4" />,
              title: t('channels.empty'),
              text: t('channels.emptyText'),
            }}
            row={(channel) => (
              <Row
                key={channel.id}
                to={{ section: 'channels', itemId: channel.id }}
                mark={
                  <RowIcon>
                    <ChannelTypeIcon type={channel.type} />
                  </RowIcon>
                }
                title={channel.name}
                badges={<ChannelBadges isRow channel={channel} />}
                text={
                  <>
                    <span className="font-mono text-sm">{channel.identifier}</span>
                    {' · '}
                    {t('channels.answeredBy', { agent: agentName(channel.defaultAgentId) })}
                  </>
                }
              />
            )}
          />
        )}
      </Answer>
    </Section>
  );
}
