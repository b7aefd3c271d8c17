/** The size of a picture and a small one of it, without what the camera wrote into it. */
import { Readable } from 'node:stream';
import type { Sharp } from 'sharp';

export interface Picture {
  /** Turned upright. */
  width: number;
  height: number;
  /** Null: it cannot be drawn. */
  thumbnail: Buffer | null;
}

const longestSide = 1_024;
/** A picture of a few kilobytes may unfold to gigabytes. */
const maxPixels = 50_000_000;
const timeoutSeconds = 20;

/** Loaded when the first picture comes: it takes 30 MB that a service without pictures need not have. */
async function load() {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  // Of the fifty formats that it can read, those that are let in; the type was checked, but not by these decoders.
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({
    operation: ['Jpeg', 'Png', 'Nsgif', 'Webp'].map((format) => `VipsForeignLoad${format}File`),
  });
  return sharp;
}

let loading: ReturnType<typeof load> | null = null;

/** Null: it is no picture that can be read. */
export async function readPicture(path: string): Promise<Picture | null> {
  loading ??= load();
  const sharp = await loading;
  const size = await sizeOf(sharp(path, { limitInputPixels: false }));
  if (!size) return null;
  if (size.width * size.height > maxPixels) return { ...size, thumbnail: null };
  try {
    // Metadata is left out unless it is asked for; colours are converted to sRGB, which needs none.
    const thumbnail = await sharp(path, {
      limitInputPixels: maxPixels,
      sequentialRead: true,
      failOn: 'error',
    })
      .timeout({ seconds: timeoutSeconds })
      .autoOrient()
      .resize({ width: longestSide, height: longestSide, fit: 'inside', withoutEnlargement: true })
      .webp({ quality: 78 })
      .toBuffer();
    return { ...size, thumbnail };
  } catch {
    return { ...size, thumbnail: null };
  }
}

async function sizeOf(image: Sharp): Promise<{ width: number; height: number } | null> {
  try {
    const { autoOrient } = await image.metadata();
    const { width, height } = autoOrient;
    return width > 0 && height > 0 ? { width, height } : null;
  } catch {
    return null;
  }
}

export function chunksOf(bytes: Buffer): AsyncIterable<Buffer> {
  return Readable.from([bytes], { objectMode: true });
}
