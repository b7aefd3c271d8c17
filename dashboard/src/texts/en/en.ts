/** English, the language that every other one is measured by. One file per part of the application. */
import { board } from './board.ts';
import { boardSettings } from './board-settings.ts';
import { fields } from './fields.ts';
import { inbox } from './inbox.ts';
import { record } from './record.ts';
import { settings } from './settings.ts';
import { settingsConnections } from './settings-connections.ts';
import { shell } from './shell.ts';
import { widget } from './widget.ts';

export const en = {
  ...shell,
  ...board,
  ...boardSettings,
  ...record,
  ...fields,
  ...inbox,
  ...settings,
  ...settingsConnections,
  ...widget,
} as const;
