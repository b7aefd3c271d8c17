/** An index as it is after it was written to a file and read back. */
import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readHeader, readIndex } from '../../server/search-engine/snapshot/read-index.ts';
import { writeIndex } from '../../server/search-engine/snapshot/write-index.ts';
import type { SearchIndex } from '../../server/search-engine/store/index.ts';

/** `change` may damage the file. */
export async function throughFile(
  index: SearchIndex,
  change: (path: string) => void = () => {},
): Promise<SearchIndex> {
  const folder = mkdtempSync(join(tmpdir(), 'talkboard-index-'));
  const path = join(folder, 'file');
  try {
    await writeTo(path, index);
    change(path);
    return await readFrom(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export async function writeTo(path: string, index: SearchIndex): Promise<void> {
  const file = await open(path, 'w');
  await writeIndex(file, index, {}).finally(() => file.close());
}

export async function readFrom(path: string): Promise<SearchIndex> {
  const file = await open(path, 'r');
  try {
    return await readIndex(file, await readHeader(file));
  } finally {
    await file.close();
  }
}
