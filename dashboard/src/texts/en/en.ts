/**
 * English, the language that every other one is measured by. One file per part of the application; those of `later.ts`
 * come with their part instead of with the first load.
 */
import { board } from './board.ts';
import { boardSettings } from './board-settings.ts';
import { fields } from './fields.ts';
import { inbox } from './inbox.ts';
import { record } from './record.ts';
import { shell } from './shell.ts';

export const en = {
  ...shell,
  ...board,
  ...boardSettings,
  ...record,
  ...fields,
  ...inbox,
} as const;
