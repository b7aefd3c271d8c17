/** What agents may call in other systems: HTTP tools, and the tools of MCP servers. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Plus, Wrench } from 'lucide-react';
import { useState } from 'react';
import type { Tool } from '../../../../contract/tools.ts';
import { useMay } from '../../data/session.ts';
import { t } from '../../texts/texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Badge } from '../../ui/display/badge.tsx';
import { CreateButton, EntityList } from '../parts/entity-list.tsx';
import { Row, RowIcon } from '../parts/rows.tsx';
import { Answer, Part, Section } from '../parts/section.tsx';
import { McpServerPart, NewServer } from './mcp-servers.tsx';
import { mcpServersQuery, toolsQuery } from './tools-data.ts';

export default function ToolsSettings() {
  const tools = useQuery(toolsQuery);
  const servers = useQuery(mcpServersQuery);
  const navigate = useNavigate();
  const mayAddress = useMay('webhooks.manage');
  const [isNew, setNew] = useState(false);
  const create = () =>
    void navigate({ to: '/settings/$section/$itemId', params: { section: 'tools', itemId: 'new' } });
  return (
    <Section
      title={t('settings.tools')}
      description={t('tools.text')}
      actions={mayAddress && <CreateButton label={t('tools.new')} onClick={create} />}
    >
      {!mayAddress && <p className="text-muted">{t('settings.addressRight')}</p>}
      <Answer query={tools}>
        {(list) => (
          <EntityList
            label={t('settings.tools')}
            items={list.filter(({ mcpServerId }) => mcpServerId === null)}
            empty={{
              icon: <Wrench className="size-4" />,
              title: t('tools.empty'),
              text: t('tools.emptyText'),
            }}
            row={(tool) => <ToolRow key={tool.id} tool={tool} />}
            search={{
              label: t('tools.search'),
              textOf: ({ name, description }) => `${name}\n${description}`,
            }}
          />
        )}
      </Answer>
      <Part title={t('tools.servers')} text={t('tools.serversText')}>
        <Answer query={servers}>
          {(list) => (
            <>
              {list.map((server) => (
                <McpServerPart
                  key={server.id}
                  server={server}
                  rows={(tools.data ?? [])
                    .filter(({ mcpServerId }) => mcpServerId === server.id)
                    .map((tool) => <ToolRow key={tool.id} tool={tool} />)}
                />
              ))}
            </>
          )}
        </Answer>
        {mayAddress && (
          <span>
            <Button icon={<Plus className="size-3.5" />} onClick={() => setNew(true)}>
              {t('tools.addServer')}
            </Button>
          </span>
        )}
      </Part>
      {isNew && <NewServer onClose={() => setNew(false)} />}
    </Section>
  );
}

const ToolRow = ({ tool }: { tool: Tool }) => (
  <Row
    to={{ section: 'tools', itemId: tool.id }}
    mark={
      <RowIcon>
        <Wrench className="size-4" />
      </RowIcon>
    }
    title={<code>{tool.name}</code>}
    badges={<ToolBadges tool={tool} />}
    text={tool.description}
  />
);

export const ToolBadges = ({ tool }: { tool: Tool }) => (
  <>
    <Badge hue={tool.kind === 'write' ? 'orange' : undefined}>{t(`tools.kind.${tool.kind}`)}</Badge>
    {tool.changedFrom && <Badge hue="red">{t('tools.changed')}</Badge>}
    {!tool.enabled && <Badge>{t('tools.off')}</Badge>}
  </>
);
