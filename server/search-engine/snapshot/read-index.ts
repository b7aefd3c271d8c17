// Reads an index from a file. Nothing of it is used before every checksum was right.

import type { FileHandle } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { SearchIndex } from '../store/index.ts';
import { ReadArchive } from './archive.ts';
import {
  CHUNK_BYTES,
  type Header,
  MAGIC,
  MAX_HEADER_BYTES,
  machine,
  PRELUDE_BYTES,
  UnusableFile,
} from './format.ts';

export type OpenedFile<About> = { header: Header<About>; at: number; size: number };

/** The beginning of the file. The owner looks at `about` before it reads the rest. */
export async function readHeader<About>(file: FileHandle): Promise<OpenedFile<About>> {
  const { size } = await file.stat();
  const prelude = Buffer.alloc(PRELUDE_BYTES);
  await readFully(file, prelude, 0);
  if (!prelude.subarray(0, MAGIC.length).equals(MAGIC)) throw new UnusableFile('it is not an index');
  const length = prelude.readUInt32LE(8);
  if (length > MAX_HEADER_BYTES || PRELUDE_BYTES + length > size) throw new UnusableFile('it is too short');
  const text = Buffer.alloc(length);
  await readFully(file, text, PRELUDE_BYTES);
  if (crc32(text) !== prelude.readUInt32LE(12)) throw new UnusableFile('the checksum of its header is wrong');
  const header = usable(() => JSON.parse(text.toString()) as Header<About>);
  for (const name of ['version', 'unicode', 'byteOrder'] as const) {
    if (header.machine[name] !== machine[name]) throw new UnusableFile(`it has another ${name}`);
  }
  const bytes = header.arrays.reduce((sum, each) => sum + each, 0);
  const at = PRELUDE_BYTES + length;
  if (at + bytes + header.arrays.length * 4 + 4 !== size) throw new UnusableFile('its length is wrong');
  return { header, at, size };
}

export async function readIndex<About>(file: FileHandle, opened: OpenedFile<About>): Promise<SearchIndex> {
  const { header, at, size } = opened;
  const footer = Buffer.alloc(header.arrays.length * 4 + 4);
  await readFully(file, footer, size - footer.length);
  if (crc32(footer.subarray(0, -4)) !== footer.readUInt32LE(footer.length - 4)) {
    throw new UnusableFile('the checksum of its end is wrong');
  }
  const index = new SearchIndex();
  const archive = new ReadArchive(header.values);
  usable(() => {
    index.archive(archive);
    archive.requireEnd();
  });
  if (archive.arrays.length !== header.arrays.length) throw new UnusableFile('it has other arrays');
  const input = new Input(file, at, size - footer.length);
  for (const [i, array] of archive.arrays.entries()) {
    const sum = await input.fill(array.allocate(header.arrays[i]!));
    if (sum !== footer.readUInt32LE(i * 4)) throw new UnusableFile('a checksum is wrong');
    usable(() => array.filled?.());
  }
  return index;
}

/** An error here is caused by the content. */
function usable<T>(step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw new UnusableFile(`its content is wrong: ${(error as Error).message}`, { cause: error });
  }
}

/** Small arrays are read together; large ones directly to their place. */
class Input {
  readonly #file: FileHandle;
  readonly #end: number;
  #at: number;
  #ahead: Uint8Array = new Uint8Array(0);

  constructor(file: FileHandle, at: number, end: number) {
    this.#file = file;
    this.#at = at;
    this.#end = end;
  }

  /** Returns the checksum. */
  async fill(room: Uint8Array): Promise<number> {
    let sum = 0;
    for (let from = 0; from < room.length; ) {
      if (this.#ahead.length === 0 && room.length - from < CHUNK_BYTES) await this.#readAhead();
      const length = Math.min(this.#ahead.length || CHUNK_BYTES, room.length - from);
      const piece = room.subarray(from, from + length);
      if (this.#ahead.length > 0) {
        piece.set(this.#ahead.subarray(0, length));
        this.#ahead = this.#ahead.subarray(length);
      } else {
        await readFully(this.#file, piece, this.#at);
        this.#at += length;
      }
      sum = crc32(piece, sum);
      from += length;
    }
    return sum;
  }

  async #readAhead(): Promise<void> {
    const ahead = new Uint8Array(Math.min(CHUNK_BYTES, this.#end - this.#at));
    await readFully(this.#file, ahead, this.#at);
    this.#at += ahead.length;
    this.#ahead = ahead;
    await nextTurn();
  }
}

async function readFully(file: FileHandle, room: Uint8Array, at: number): Promise<void> {
  for (let from = 0; from < room.length; ) {
    const { bytesRead } = await file.read(room, from, room.length - from, at + from);
    if (bytesRead === 0) throw new UnusableFile('it is too short');
    from += bytesRead;
  }
}
