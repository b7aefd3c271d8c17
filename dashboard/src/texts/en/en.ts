/**
 * English, the language that every other one is measured by. One file per part of the application; those of the
 * inbox and the settings come with their part instead of with the first load (`addTexts`).
 */
import { board } from './board.ts';
import { fields } from './fields.ts';
import { record } from './record.ts';
import { shell } from './shell.ts';

export const en = {
  ...shell,
  ...board,
  ...record,
  ...fields,
} as const;
