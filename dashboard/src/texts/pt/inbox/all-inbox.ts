/** The parts of the inbox, which are opened together. */
export { composer } from './composer.ts';
export { inbox } from './inbox.ts';
export { lifecycle } from './lifecycle.ts';
export { mail } from './mail.ts';
export { sending } from './sending.ts';
