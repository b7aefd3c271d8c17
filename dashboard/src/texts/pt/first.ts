/** The parts of the first load. */
export { board } from './board.ts';
export { fields } from './fields.ts';
export { record } from './record.ts';
export { shell } from './shell.ts';
