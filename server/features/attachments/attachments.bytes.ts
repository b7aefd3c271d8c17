/** Random access to a file, a window at a time: reading 100,000 small pieces costs a few hundred reads. */
import { type FileHandle, open } from 'node:fs/promises';

const windowBytes = 64 * 1024;

export class FileBytes {
  readonly size: number;
  readonly #file: FileHandle;
  #window: Buffer = Buffer.alloc(0);
  #start = 0;

  private constructor(file: FileHandle, size: number) {
    this.#file = file;
    this.size = size;
  }

  static async with<T>(path: string, use: (bytes: FileBytes) => Promise<T>): Promise<T> {
    const file = await open(path, 'r');
    try {
      return await use(new FileBytes(file, (await file.stat()).size));
    } finally {
      await file.close();
    }
  }

  /** Null: the file ends before. Valid until the next call. */
  async read(offset: number, length: number): Promise<Buffer | null> {
    if (offset < 0 || offset + length > this.size) return null;
    if (offset < this.#start || offset + length > this.#start + this.#window.length) {
      const wanted = Math.min(Math.max(length, windowBytes), this.size - offset);
      const window = Buffer.allocUnsafe(wanted);
      const { bytesRead } = await this.#file.read(window, 0, wanted, offset);
      this.#window = window.subarray(0, bytesRead);
      this.#start = offset;
      if (bytesRead < length) return null;
    }
    return this.#window.subarray(offset - this.#start, offset - this.#start + length);
  }

  async *from(offset: number): AsyncGenerator<Buffer> {
    for (let at = offset; at < this.size; at += windowBytes) {
      const chunk = await this.read(at, Math.min(windowBytes, this.size - at));
      if (!chunk) return;
      yield chunk;
    }
  }

  /** The first offset, -1 if there is none. */
  async find(sought: Buffer, offset: number): Promise<number> {
    let at = offset;
    let tail: Buffer = Buffer.alloc(0);
    for await (const chunk of this.from(offset)) {
      const joined = Buffer.concat([tail, chunk]);
      const found = joined.indexOf(sought);
      if (found >= 0) return at - tail.length + found;
      at += chunk.length;
      tail = joined.subarray(Math.max(0, joined.length - sought.length + 1));
    }
    return -1;
  }
}
