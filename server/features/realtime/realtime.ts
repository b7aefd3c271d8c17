/** What app.ts and worker.ts use of live updates. No other feature does: it consumes what others write. */
export { openLive } from './realtime.live.ts';
