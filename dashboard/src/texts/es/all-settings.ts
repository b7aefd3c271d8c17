/** The parts of the settings, which are opened together. */
export { settings } from './settings.ts';
export { settingsConnections } from './settings-connections.ts';
export { widget } from './widget.ts';
