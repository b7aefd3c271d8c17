// Writes an index to a file while it serves queries. A change of the index ends the attempt: the file would hold a part
// from before it and a part from after it.

import type { FileHandle } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import type { SearchIndex } from '../store/index.ts';
import { WriteArchive } from './archive.ts';
import { CHUNK_BYTES, type Header, MAGIC, machine, PRELUDE_BYTES } from './format.ts';

/** The index has changed, or the caller has stopped the attempt. */
export class WriteStopped extends Error {}

/** `about` is what the owner wants to know when the file is read. */
export async function writeIndex<About>(
  file: FileHandle,
  index: SearchIndex,
  about: About,
  mayGoOn: () => boolean = () => true,
): Promise<void> {
  const { changes } = index;
  const archive = new WriteArchive();
  index.archive(archive);
  const views = archive.arrays.map((array) => array.view());
  const arrays = views.map(({ byteLength }) => byteLength);
  const header: Header<About> = { machine, about, values: archive.values, arrays };
  const output = new Output(file, () => index.changes === changes && mayGoOn());
  const text = Buffer.from(JSON.stringify(header));
  const prelude = Buffer.alloc(PRELUDE_BYTES);
  MAGIC.copy(prelude);
  prelude.writeUInt32LE(text.length, 8);
  prelude.writeUInt32LE(crc32(text), 12);
  await output.add(prelude);
  await output.add(text);
  const footer = Buffer.alloc(views.length * 4 + 4);
  for (const [i, view] of views.entries()) footer.writeUInt32LE(await output.add(view), i * 4);
  footer.writeUInt32LE(crc32(footer.subarray(0, -4)), footer.length - 4);
  await output.add(footer);
  await output.flush();
}

/** Small arrays are written together. */
class Output {
  readonly #file: FileHandle;
  readonly #mayGoOn: () => boolean;
  readonly #waiting = Buffer.alloc(CHUNK_BYTES);
  #length = 0;

  constructor(file: FileHandle, mayGoOn: () => boolean) {
    this.#file = file;
    this.#mayGoOn = mayGoOn;
  }

  /** Returns the checksum. */
  async add(bytes: Uint8Array): Promise<number> {
    let sum = 0;
    for (let from = 0; from < bytes.length; ) {
      if (!this.#mayGoOn()) throw new WriteStopped('the index has changed');
      const to = Math.min(bytes.length, from + CHUNK_BYTES - this.#length);
      const piece = bytes.subarray(from, to);
      // Copied first, so that the checksum is of what is written.
      this.#waiting.set(piece, this.#length);
      sum = crc32(this.#waiting.subarray(this.#length, this.#length + piece.length), sum);
      this.#length += piece.length;
      from = to;
      if (this.#length === CHUNK_BYTES) await this.flush();
    }
    return sum;
  }

  async flush(): Promise<void> {
    for (let from = 0; from < this.#length; ) {
      from += (await this.#file.write(this.#waiting, from, this.#length - from)).bytesWritten;
    }
    this.#length = 0;
    if (!this.#mayGoOn()) throw new WriteStopped('the index has changed');
  }
}
