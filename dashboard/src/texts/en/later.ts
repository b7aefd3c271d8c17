/** Texts of parts that few people open: loaded with the part (`addTexts`). */
import { settings } from './settings.ts';
import { settingsConnections } from './settings-connections.ts';
import { widget } from './widget.ts';

export const enLater = { ...settings, ...settingsConnections, ...widget } as const;
