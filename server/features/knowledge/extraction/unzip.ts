/**
 * Reads the entries of a ZIP file, all together up to a limit of decompressed bytes: a small file may hold gigabytes.
 * What the file says of its sizes is not believed.
 */
import { inflateRawSync } from 'node:zlib';
import { ExtractionProblem } from './extraction.problem.ts';

export interface Zip {
  exists(name: string): boolean;
  read(name: string): Promise<Uint8Array>;
  read(name: string, encoding: 'utf-8'): Promise<string>;
}

interface Entry {
  isCompressed: boolean;
  compressedSize: number;
  /** Of its header in front of the bytes. */
  offset: number;
}

const maxBytes = 100 * 1024 * 1024;
const endSignature = 0x06054b50;
const endSize = 22;
const longestComment = 0xffff;
const entrySize = 46;
const headerSize = 30;
const stored = 0;
const deflated = 8;

export function openZip(bytes: Uint8Array): Zip {
  const zip = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries = entriesOf(zip);
  let left = maxBytes;
  const bytesOf = (name: string): Buffer => {
    const entry = entries.get(name);
    if (!entry) throw new Error(`the ZIP file has no ${name}`);
    const { offset, compressedSize, isCompressed } = entry;
    const start = offset + headerSize + zip.readUInt16LE(offset + 26) + zip.readUInt16LE(offset + 28);
    const content = zip.subarray(start, start + compressedSize);
    if (left === 0) throw tooLarge();
    const read = isCompressed ? inflate(content, left) : content;
    left = Math.max(0, left - read.length);
    return read;
  };
  async function read(name: string): Promise<Uint8Array>;
  async function read(name: string, encoding: 'utf-8'): Promise<string>;
  async function read(name: string, encoding?: 'utf-8'): Promise<Uint8Array | string> {
    const content = bytesOf(name);
    return encoding ? new TextDecoder(encoding).decode(content) : content;
  }
  return { exists: (name) => entries.has(name), read };
}

function inflate(content: Buffer, maxOutputLength: number): Buffer {
  try {
    return inflateRawSync(content, { maxOutputLength });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge() : error;
  }
}

const tooLarge = () =>
  new ExtractionProblem('too_large', `more than ${maxBytes / 1024 / 1024} MB when it is decompressed`);

/** By the directory at the end. Reading outside of the file throws. */
function entriesOf(zip: Buffer): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  const end = endOf(zip);
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left--) {
    const method = zip.readUInt16LE(at + 10);
    const nameLength = zip.readUInt16LE(at + 28);
    const name = zip.toString('utf8', at + entrySize, at + entrySize + nameLength);
    if (method === stored || method === deflated) {
      entries.set(name, {
        isCompressed: method === deflated,
        compressedSize: zip.readUInt32LE(at + 20),
        offset: zip.readUInt32LE(at + 42),
      });
    }
    at += entrySize + nameLength + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return entries;
}

function endOf(zip: Buffer): number {
  for (let at = zip.length - endSize; at >= Math.max(0, zip.length - endSize - longestComment); at--) {
    if (zip.readUInt32LE(at) === endSignature) return at;
  }
  throw new Error('this is not a ZIP file');
}
