/** Every text of the settings. */
import { settings } from './settings.ts';
import { settingsConnections } from './settings-connections.ts';
import { widget } from './widget.ts';

export const settingsTexts = { ...settings, ...settingsConnections, ...widget } as const;
