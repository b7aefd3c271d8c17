/** What other features may use of channels: who answers where, and on which board. */

export {
  contentOf,
  createAgent,
  openKey,
  publishContent,
  requireAgent,
  type TestsOfAgents,
} from './agents/agents.ts';
export { agentOfVersion, agentWith, type OtherVersion } from './agents/agents.versions.ts';
export {
  type AccountConfig,
  type AccountConfigCache,
  createAccountConfigCache,
} from './channels.account-config.ts';
export type { ConnectorsOfChannels } from './channels.connectors.ts';
export {
  type AgentDefinition,
  allowsAgent,
  createChannelsOfAccount,
  createDirectoryCache,
  type Directory,
  findChannel,
  loadDirectory,
  type SendWindow,
} from './channels.directory.ts';
export { channelsWithHours, createChannel, startAccountWithChannels } from './channels.manage.ts';
export { eraseChannels, setChannelHours, setChannelWindow, unbindFromChannels } from './channels.sql.ts';
