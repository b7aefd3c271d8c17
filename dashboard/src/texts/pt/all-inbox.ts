/** The parts of the inbox, which are opened together. */
export { inbox } from './inbox.ts';
export { lifecycle } from './lifecycle.ts';
