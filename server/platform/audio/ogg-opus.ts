/**
 * Checks that a file is Ogg Opus, page by page to its end: files that are forwarded unchanged must be nothing else.
 */

export interface OggOpus {
  channels: number;
  seconds: number;
}

const capture = Buffer.from('OggS');
const headerBytes = 27;
const isFirstPage = 2;
const isLastPage = 4;

/** Null: another format, more than one stream, or truncated. */
export function readOggOpus(file: Buffer): OggOpus | null {
  let place = 0;
  let serial: number | null = null;
  let head: Buffer | null = null;
  let lastGranule = 0n;
  let isEnded = false;
  for (let page = 0; place < file.length; page++) {
    if (isEnded || file.length < place + headerBytes) return null;
    if (!file.subarray(place, place + 4).equals(capture) || file[place + 4] !== 0) return null;
    const flags = file[place + 5]!;
    const segments = file[place + 26]!;
    const body = place + headerBytes + segments;
    let length = 0;
    for (const size of file.subarray(place + headerBytes, body)) length += size;
    const end = body + length;
    if (end > file.length) return null;
    if (((flags & isFirstPage) !== 0) !== (page === 0)) return null;
    serial ??= file.readUInt32LE(place + 14);
    if (file.readUInt32LE(place + 14) !== serial) return null;
    head ??= file.subarray(body, end);
    if (page === 1 && file.toString('latin1', body, body + 8) !== 'OpusTags') return null;
    const granule = file.readBigInt64LE(place + 6);
    if (granule >= 0n) lastGranule = granule;
    isEnded = (flags & isLastPage) !== 0;
    place = end;
  }
  if (!head || head.length < 19 || head.toString('latin1', 0, 8) !== 'OpusHead') return null;
  const skipped = BigInt(head.readUInt16LE(10));
  return { channels: head[9]!, seconds: Number(lastGranule - skipped) / 48_000 };
}
