/** A tar archive, written entry by entry as it is read. Only the header of an entry needs its size. */
import { Buffer } from 'node:buffer';

const block = 512;
/** What the eleven octal digits of the header can hold. */
const maxBytes = 8 ** 11 - 1;

export async function* tarEntry(
  name: string,
  size: number,
  mtime: number,
  content: AsyncIterable<Buffer> | Iterable<Buffer>,
): AsyncGenerator<Buffer> {
  yield header(name, size, mtime);
  let written = 0;
  for await (const chunk of content) {
    written += chunk.length;
    // A wrong size would make every later entry unreadable.
    if (written > size) break;
    yield chunk;
  }
  if (written !== size) throw new Error(`${name} has ${written} bytes instead of ${size}`);
  if (size % block > 0) yield Buffer.alloc(block - (size % block));
}

export const tarEnd = (): Buffer => Buffer.alloc(2 * block);

export function tarJson(name: string, mtime: number, value: unknown): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
  return tarEntry(name, bytes.length, mtime, [bytes]);
}

function header(name: string, size: number, mtime: number): Buffer {
  if (size > maxBytes || Buffer.byteLength(name) > 100)
    throw new Error(`${name} does not fit into the archive`);
  const bytes = Buffer.alloc(block);
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`;
  bytes.write(name, 0);
  bytes.write(octal(0o600, 8), 100);
  bytes.write(octal(0, 8), 108);
  bytes.write(octal(0, 8), 116);
  bytes.write(octal(size, 12), 124);
  bytes.write(octal(Math.floor(mtime / 1000), 12), 136);
  bytes.write('        ', 148);
  bytes.write('0', 156);
  bytes.write('ustar\u000000', 257);
  const sum = bytes.reduce((total, byte) => total + byte, 0);
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return bytes;
}
