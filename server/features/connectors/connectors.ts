/** What other features may use of connectors. */
export { createLinks, type Links, type OpenLink } from './connectors.links.ts';
export { createRegistry, type Registry } from './connectors.registry.ts';
export { createConnectorsOfChannels } from './connectors.settings.ts';
export { pruneOutbound, prunePace } from './outbound/connectors.outbound.sql.ts';
export { startSender } from './outbound/connectors.sender.ts';
