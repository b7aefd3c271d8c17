/** UUIDv7, made here because PostgreSQL has it only since 18. Within one process they sort by creation. */
import { randomFillSync } from 'node:crypto';

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const bytesPerId = 10;
const randomPool = Buffer.alloc(4_000);
let poolOffset = randomPool.length;
let lastTime = 0;
let counter = 0;

export function newId(now = Date.now()): string {
  if (poolOffset + bytesPerId > randomPool.length) {
    randomFillSync(randomPool);
    poolOffset = 0;
  }
  const random = randomPool.subarray(poolOffset, poolOffset + bytesPerId);
  poolOffset += bytesPerId;
  if (now > lastTime) {
    lastTime = now;
    counter = random.readUInt16BE(8) & 0x7ff;
  } else if (++counter > 0xfff) {
    lastTime++;
    counter = 0;
  }
  const time = lastTime.toString(16).padStart(12, '0');
  const tail = random.toString('hex', 0, 8);
  const variant = (0x8 | (random[0]! & 0x3)).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${counter.toString(16).padStart(3, '0')}-${variant}${tail.slice(1, 4)}-${tail.slice(4)}`;
}

/** Ids are opaque to clients: whatever does not have our form cannot exist. */
export function isId(value: string): boolean {
  return uuidForm.test(value);
}
