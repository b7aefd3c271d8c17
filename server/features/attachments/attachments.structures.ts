/** Checks whether an image, video, audio file or archive is complete. */
import type { FileBytes } from './attachments.bytes.ts';

/** More pieces than any real file has; without a limit, 10 MB of empty ones would keep us busy. */
const maxPieces = 200_000;

/** Segments up to the image data, then its end. In the data an 0xff is always followed by a zero or a marker. */
export async function hasAllOfJpeg(bytes: FileBytes): Promise<boolean> {
  let hasFrame = false;
  for (let at = 2, pieces = 0; pieces < maxPieces; pieces++) {
    const head = await bytes.read(at, 4);
    if (head?.[0] !== 0xff) return false;
    const marker = head[1]!;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) hasFrame = true;
    if (marker === 0xda) return hasFrame && (await bytes.find(Buffer.from([0xff, 0xd9]), at)) >= 0;
    const length = head.readUInt16BE(2);
    if (length < 2) return false;
    at += 2 + length;
  }
  return false;
}

export async function hasAllOfPng(bytes: FileBytes): Promise<boolean> {
  for (let at = 8, pieces = 0; pieces < maxPieces; pieces++) {
    const head = await bytes.read(at, 8);
    if (!head) return false;
    const type = head.toString('latin1', 4, 8);
    const end = at + 12 + head.readUInt32BE(0);
    if ((pieces === 0 && type !== 'IHDR') || end > bytes.size) return false;
    if (type === 'IEND') return true;
    at = end;
  }
  return false;
}

export async function hasAllOfGif(bytes: FileBytes): Promise<boolean> {
  const screen = await bytes.read(0, 13);
  if (!screen) return false;
  let at = 13 + colourTable(screen[10]!);
  for (let pieces = 0; pieces < maxPieces; pieces++) {
    const kind = (await bytes.read(at, 1))?.[0];
    if (kind === 0x3b) return true;
    if (kind === 0x21) at += 2;
    else if (kind === 0x2c) {
      const image = await bytes.read(at, 10);
      if (!image) return false;
      at += 11 + colourTable(image[9]!);
    } else return false;
    for (; ; pieces++) {
      const length = (await bytes.read(at, 1))?.[0];
      if (length === undefined || pieces > maxPieces) return false;
      at += 1 + length;
      if (length === 0) break;
    }
  }
  return false;
}

const colourTable = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);

/** WebP and WAV. Recorders that do not know the length beforehand write none, or the maximum. */
export async function hasAllOfRiff(bytes: FileBytes): Promise<boolean> {
  const head = await bytes.read(0, 16);
  if (!head) return false;
  const length = head.readUInt32LE(4);
  const isUnknown = head.toString('latin1', 8, 12) === 'WAVE' && (length === 0 || length >= 0x7fffff00);
  return isUnknown || length + 8 <= bytes.size;
}

/** MP4, M4A and MOV: consecutive boxes. A length of 0 means: to the end. */
export async function hasAllOfBoxes(bytes: FileBytes): Promise<boolean> {
  for (let at = 0, pieces = 0; pieces < maxPieces; pieces++) {
    if (at === bytes.size) return true;
    const head = await bytes.read(at, 8);
    if (!head) return false;
    let length = head.readUInt32BE(0);
    if (length === 0) return true;
    if (length === 1) {
      const large = await bytes.read(at + 8, 8);
      if (!large) return false;
      length = Number(large.readBigUInt64BE());
    }
    if (length < 8 || at + length > bytes.size) return false;
    at += length;
  }
  return false;
}

/** The directory of an archive is at its end. */
export async function hasAllOfZip(bytes: FileBytes): Promise<boolean> {
  const end = await bytes.find(Buffer.from('PK\x05\x06', 'latin1'), 0);
  return end >= 0 && end + 22 <= bytes.size;
}
