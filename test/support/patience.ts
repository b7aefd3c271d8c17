/**
 * How long a test waits. A limit in seconds says little on a machine that does much else: there it counts the part of the
 * time in which this process got a processor while it wanted one, as what it waits for was slowed down in the same way.
 */

/** In milliseconds, since any moment. */
interface Times {
  now: number;
  /** In which the process did not wait for others. */
  busy: number;
  /** Of the processor. */
  worked: number;
}

/** Of the limit, however busy the machine is. */
const most = 4;

export function startPatience(withinMs: number, read = readTimes): { isOver(): boolean } {
  const began = read();
  return {
    isOver() {
      const { now, busy, worked } = read();
      const ms = now - began.now;
      if (ms <= withinMs) return false;
      const share = (worked - began.worked) / (busy - began.busy);
      // Also over where nothing was measured.
      return !(ms * Math.min(1, Math.max(1 / most, share)) <= withinMs);
    },
  };
}

function readTimes(): Times {
  const { user, system } = process.cpuUsage();
  const { active } = performance.eventLoopUtilization();
  return { now: performance.now(), busy: active, worked: (user + system) / 1_000 };
}
