// The file of an index:
//
//   prelude   magic, length of the header, checksum of the header                          16 bytes
//   header    JSON: the versions, what the owner says about the index, values, lengths of the arrays
//   arrays    the bytes of each array, one after the other
//   footer    a checksum of each array, and a checksum of these checksums
//
// Every byte is under a checksum, and the length of the file follows from the header. Numbers are in the byte order of
// the machine, which the header names.

import { endianness } from 'node:os';

/** A file of another version is not read. Raise it when the index or the rules of text change: a test says when. */
export const INDEX_VERSION = 3;

export const MAGIC = Buffer.from('TBINDEX1');
export const PRELUDE_BYTES = 16;
/** A header holds the names of boards, statuses and columns; more than this is damage. */
export const MAX_HEADER_BYTES = 1 << 26;
/** As much is read, checked or written without a pause: about a millisecond. */
export const CHUNK_BYTES = 1 << 21;

/** What else decides how an index is made: rules of letters belong to the Unicode version. */
export const machine = {
  version: INDEX_VERSION,
  unicode: process.versions.unicode ?? '',
  byteOrder: endianness(),
};

export type Header<About> = {
  machine: typeof machine;
  about: About;
  values: unknown[];
  /** In bytes. */
  arrays: number[];
};

/** The file is damaged, or not one that this engine can read. */
export class UnusableFile extends Error {}
