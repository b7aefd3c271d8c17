/** The parts of the settings, which are opened together. */
export { agentTests } from './agent-tests.ts';
export { agentVersions } from './agent-versions.ts';
export { audit } from './instance/audit.ts';
export { retention } from './instance/retention.ts';
export { settings } from './settings.ts';
export { settingsConnections } from './settings-connections.ts';
export { invitations } from './sign-in/invitations.ts';
export { roles } from './sign-in/roles.ts';
export { widget } from './widget.ts';
