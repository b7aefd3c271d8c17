/** What app.ts and worker.ts use of live updates. Nobody else does: it lives on what others write. */
export type { LiveEvent, Viewer } from './realtime.events.ts';
export type { Subscriber } from './realtime.hub.ts';
export { type Live, openLive } from './realtime.live.ts';
export type { Signal } from './realtime.wake.ts';
