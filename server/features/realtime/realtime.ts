/** What app.ts and worker.ts use of live updates. Nobody else does: it lives on what others write. */
export { openLive } from './realtime.live.ts';
