/** English, the language that every other one is measured by. One file per part of the application. */
import { board } from './board.ts';
import { inbox } from './inbox.ts';
import { record } from './record.ts';
import { settings } from './settings.ts';
import { shell } from './shell.ts';

export const en = { ...shell, ...board, ...record, ...inbox, ...settings } as const;
