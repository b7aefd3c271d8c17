/**
 * Every column with values sealed with SECRET_KEY, and the context of each value. A new sealed column must be added
 * to `sealedColumns`: otherwise key rotation would skip its values.
 */

/** The context binds a sealed value to its row, so that it cannot be moved to another one. */
export const sealedFor = {
  webhook: (id: string) => `webhook:${id}`,
  agent: (id: string) => `agent:${id}`,
  agentDraft: (id: string) => `agent-draft:${id}`,
  connectorCredentials: (channelId: string) => `connector:${channelId}`,
  connectorSecret: (channelId: string) => `connector-secret:${channelId}`,
  widgetIdentity: (channelId: string) => `widget-identity/${channelId}`,
  knowledgeSource: (id: string) => `knowledge-source:${id}`,
  knowledgeEmbedding: (accountId: string) => `knowledge-embedding:${accountId}`,
  tool: (id: string) => `tool:${id}`,
  automation: (id: string) => `automation:${id}`,
  mcpServer: (id: string) => `mcp-server:${id}`,
  totp: (userId: string) => `totp:${userId}`,
  pushKeys: () => 'push-keys',
  idempotency: (accountId: string, key: string) => `idempotency:${accountId}:${key}`,
  instance: (name: string) => `instance:${name}`,
};

export interface SealedColumn {
  /** Shown to people. */
  name: string;
  table: string;
  /** The primary key: columns and their types. */
  key: Record<string, string>;
  column: string;
  /** `list`: a JSON array of objects with a sealed `secret` each. */
  holds: 'value' | 'list';
  context(row: Record<string, string>): string;
}

const ofAccount = { account_id: 'uuid', id: 'uuid' };

export const sealedColumns: readonly SealedColumn[] = [
  {
    name: 'webhook secrets',
    table: 'webhooks',
    key: ofAccount,
    column: 'secret',
    holds: 'value',
    context: ({ id }) => sealedFor.webhook(id!),
  },
  {
    name: 'earlier webhook secrets',
    table: 'webhooks',
    key: ofAccount,
    column: 'previous_secrets',
    holds: 'list',
    context: ({ id }) => sealedFor.webhook(id!),
  },
  {
    name: 'agent API keys',
    table: 'agents',
    key: ofAccount,
    column: 'api_key',
    holds: 'value',
    context: ({ id }) => sealedFor.agent(id!),
  },
  {
    name: 'API keys of drafts of agents',
    table: 'agent_drafts',
    key: { account_id: 'uuid', agent_id: 'uuid' },
    column: 'api_key',
    holds: 'value',
    context: ({ agent_id }) => sealedFor.agentDraft(agent_id!),
  },
  {
    name: 'widget identity secrets',
    table: 'widget_settings',
    key: { account_id: 'uuid', channel_id: 'uuid' },
    column: 'identity_secret',
    holds: 'value',
    context: ({ channel_id }) => sealedFor.widgetIdentity(channel_id!),
  },
  {
    name: 'connector credentials',
    table: 'connectors',
    key: { account_id: 'uuid', channel_id: 'uuid' },
    column: 'credentials',
    holds: 'value',
    context: ({ channel_id }) => sealedFor.connectorCredentials(channel_id!),
  },
  {
    name: 'connector secrets',
    table: 'connectors',
    key: { account_id: 'uuid', channel_id: 'uuid' },
    column: 'secret',
    holds: 'value',
    context: ({ channel_id }) => sealedFor.connectorSecret(channel_id!),
  },
  {
    name: 'headers for websites',
    table: 'knowledge_sources',
    key: ofAccount,
    column: 'headers',
    holds: 'value',
    context: ({ id }) => sealedFor.knowledgeSource(id!),
  },
  {
    name: 'keys for search by meaning',
    table: 'knowledge_embeddings',
    key: { account_id: 'uuid' },
    column: 'api_key',
    holds: 'value',
    context: ({ account_id }) => sealedFor.knowledgeEmbedding(account_id!),
  },
  {
    name: 'headers of tools',
    table: 'tools',
    key: ofAccount,
    column: 'headers',
    holds: 'value',
    context: ({ id }) => sealedFor.tool(id!),
  },
  {
    name: 'secrets of rules',
    table: 'automations',
    key: ofAccount,
    column: 'secret',
    holds: 'value',
    context: ({ id }) => sealedFor.automation(id!),
  },
  {
    name: 'headers of MCP servers',
    table: 'mcp_servers',
    key: ofAccount,
    column: 'headers',
    holds: 'value',
    context: ({ id }) => sealedFor.mcpServer(id!),
  },
  {
    name: 'secrets of authenticator apps',
    table: 'user_totp',
    key: { account_id: 'uuid', user_id: 'uuid' },
    column: 'secret',
    holds: 'value',
    context: ({ user_id }) => sealedFor.totp(user_id!),
  },
  {
    name: 'push keys',
    table: 'push_keys',
    key: { is_only: 'boolean' },
    column: 'private_key',
    holds: 'value',
    context: () => sealedFor.pushKeys(),
  },
  {
    name: 'idempotent answers',
    table: 'idempotency_keys',
    key: { account_id: 'uuid', place: 'bytea', key: 'text' },
    column: 'body',
    holds: 'value',
    context: ({ account_id, key }) => sealedFor.idempotency(account_id!, key!),
  },
  // Last: its check shows which key opens everything, so an interrupted rotation still needs the old key.
  {
    name: 'instance secrets',
    table: 'instance_secrets',
    key: { name: 'text' },
    column: 'sealed',
    holds: 'value',
    context: ({ name }) => sealedFor.instance(name!),
  },
];
