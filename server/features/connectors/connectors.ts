/** What other features may use of connectors. */
export { createLinks, type Links } from './connectors.links.ts';
export { createRegistry, type Registry } from './connectors.registry.ts';
export { createConnectorsOfChannels } from './connectors.settings.ts';
export { createSignals, type Signals } from './outbound/connectors.signals.ts';
export { fillTemplate } from './templates/connectors.templates.fill.ts';
export { hasApprovedTemplate } from './templates/connectors.templates.sql.ts';
