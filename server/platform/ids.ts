/** UUIDv7, generated here because PostgreSQL has it only since 18. Within one process they sort by creation. */
import { randomBytes } from 'node:crypto';

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Random digits are generated in bulk: a call per id takes longer than everything else. */
const poolDigits = 8_000;
const digitsPerId = 20;
let pool = '';
let offset = poolDigits;
let lastTime = 0;
let timePart = '';
let counter = 0;

export function newId(now = Date.now()): string {
  if (offset + digitsPerId > poolDigits) {
    pool = randomBytes(poolDigits / 2).toString('hex');
    offset = 0;
  }
  const random = pool.slice(offset, offset + digitsPerId);
  offset += digitsPerId;
  if (now > lastTime) {
    setTime(now);
    counter = Number.parseInt(random.slice(16), 16) & 0x7ff;
  } else if (++counter > 0xfff) {
    setTime(lastTime + 1);
    counter = 0;
  }
  const variant = variants[Number.parseInt(random[0]!, 16) & 0x3];
  return `${timePart}${counter.toString(16).padStart(3, '0')}-${variant}${random.slice(1, 4)}-${random.slice(4, 16)}`;
}

const variants = '89ab';

/** Cached while valid: at a few thousand requests a second several ids share it. */
function setTime(time: number): void {
  lastTime = time;
  const digits = time.toString(16).padStart(12, '0');
  timePart = `${digits.slice(0, 8)}-${digits.slice(8)}-7`;
}

/** Ids are opaque to clients: an id of another format cannot exist. */
export function isId(value: string): boolean {
  return uuidForm.test(value);
}

/** When an id was made, in milliseconds. */
export function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** No id of this time or later is before it: to find what is older by an index over ids. */
export function firstIdAt(time: number): string {
  const digits = Math.max(0, Math.floor(time)).toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`;
}
