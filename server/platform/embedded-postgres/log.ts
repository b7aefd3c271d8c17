// The server writes its log file directly, so that neither a busy nor a dead service blocks it; the file is kept
// small by copying and truncating it. PostgreSQL's own collector limits a log by time but not by size.
import { closeSync, openSync } from 'node:fs';
import { copyFile, open, stat, truncate } from 'node:fs/promises';

const MAX_LOG_BYTES = 8 * 2 ** 20;
const TRIM_EVERY_MS = 30_000;
const TAIL_BYTES = 4_096;

/** Opened to append: after the file was truncated, writing continues at its start. */
export function withLogFile<T>(logFile: string, use: (descriptor: number) => T): T {
  const descriptor = openSync(logFile, 'a', 0o600);
  try {
    return use(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

export async function trimLog(logFile: string, maxBytes: number = MAX_LOG_BYTES): Promise<void> {
  if ((await logSize(logFile)) <= maxBytes) return;
  await copyFile(logFile, `${logFile}.1`);
  await truncate(logFile);
}

export function trimLogRegularly(logFile: string, onError: (error: unknown) => void): { stop(): void } {
  const timer = setInterval(() => trimLog(logFile).catch(onError), TRIM_EVERY_MS);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}

export async function logSize(logFile: string): Promise<number> {
  return (await stat(logFile).catch(() => null))?.size ?? 0;
}

/** What the server has logged since then, or the end of it. */
export async function readLogSince(logFile: string, offset: number): Promise<string> {
  const size = await logSize(logFile);
  const from = Math.max(offset, size - TAIL_BYTES, 0);
  if (size <= from) return '';
  const file = await open(logFile, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
    return buffer.toString('utf8', 0, bytesRead).trim();
  } finally {
    await file.close();
  }
}
