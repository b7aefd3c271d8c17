/** The size of an image and a thumbnail of it, without the camera's metadata. */
import { Readable } from 'node:stream';
import type { Sharp } from 'sharp';

export interface Picture {
  /** Turned upright. */
  width: number;
  height: number;
  /** Null: it cannot be rendered. */
  thumbnail: Buffer | null;
}

const longestSide = 1_024;
/** An image of a few kilobytes may expand to gigabytes. */
const maxPixels = 50_000_000;
const timeoutSeconds = 20;

/** Loaded with the first image: it takes 30 MB that a service without images does not need. */
async function load() {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  // The formats that are allowed, of the fifty it can read; the type was checked, but not by these decoders.
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({
    operation: ['Jpeg', 'Png', 'Nsgif', 'Webp'].map((format) => `VipsForeignLoad${format}File`),
  });
  return sharp;
}

let loading: ReturnType<typeof load> | null = null;

/** Null: not a readable image. */
export async function readPicture(path: string): Promise<Picture | null> {
  loading ??= load();
  const sharp = await loading;
  const size = await sizeOf(sharp(path, { limitInputPixels: false }));
  if (!size) return null;
  if (size.width * size.height > maxPixels) return { ...size, thumbnail: null };
  try {
    // Metadata is omitted by default; colours are converted to sRGB, which needs none.
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
