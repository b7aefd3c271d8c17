/**
 * Runs the system's ffmpeg in a sandbox: no environment, no standard input, no protocol but files, a forced demuxer,
 * and kernel limits on processor time, memory, file size and open files. If the service is root, ffmpeg runs as
 * nobody in a folder that it owns.
 */
import { spawn } from 'node:child_process';
import { chown } from 'node:fs/promises';
import { maxConvertedBytes } from './audio-formats.ts';
import { type Ffmpeg, NotConverted, reasonIn } from './ffmpeg.ts';
import type { FoundFfmpeg } from './ffmpeg-system.find.ts';

const defaultTimeoutMs = 60_000;
const nobody = 65_534;
const memoryKilobytes = 768 * 1024;
/** In blocks of 512 bytes; raw samples of ten minutes take 19 MB, Opus at most the limit of a message. */
const fileBlocks = Math.ceil((maxConvertedBytes * 2) / 512);
const errorBytes = 4_096;

export function createSystemFfmpeg(
  { path, version }: FoundFfmpeg,
  { timeoutMs = defaultTimeoutMs }: { timeoutMs?: number } = {},
): Ffmpeg {
  const running = new Set<ReturnType<typeof spawn>>();
  const isRoot = process.getuid?.() === 0;
  return {
    name: version,
    async run({ input, folder, args }) {
      if (isRoot) {
        for (const place of [folder, input]) await chown(place, nobody, nobody);
      }
      const [command, given] = limited(path, args, Math.ceil(timeoutMs / 1000));
      const child = spawn(command, given, {
        cwd: folder,
        env: {},
        stdio: ['ignore', 'ignore', 'pipe'],
        ...(isRoot && { uid: nobody, gid: nobody }),
      });
      running.add(child);
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        child.kill('SIGKILL');
      }, timeoutMs);
      let complaint = '';
      child.stderr!.setEncoding('utf8').on('data', (text: string) => {
        if (complaint.length < errorBytes) complaint += text;
      });
      try {
        const { code, signal } = await new Promise<{ code: number | null; signal: string | null }>(
          (resolve, reject) => {
            child.once('error', reject);
            child.once('close', (status, ended) => resolve({ code: status, signal: ended }));
          },
        );
        if (isLate || signal === 'SIGXCPU') throw new NotConverted('the conversion took too long');
        // Closing kills it: that says nothing about the file.
        if (signal === 'SIGKILL' && !isLate) throw new Error('ffmpeg was killed');
        if (code !== 0) throw new NotConverted(`the audio cannot be read: ${reasonIn(complaint, folder)}`);
      } finally {
        clearTimeout(timer);
        running.delete(child);
      }
    },
    async close() {
      for (const child of running) child.kill('SIGKILL');
    },
  };
}

/** A shell sets the limits and becomes ffmpeg. Limits that a system lacks (macOS has no -v) are skipped. */
function limited(path: string, args: string[], seconds: number): [string, string[]] {
  if (process.platform === 'win32') return [path, args];
  // The lower limit ends it with SIGXCPU, which says why; at the upper one it would be killed like any other.
  const limits = [
    `-H -t ${seconds + 1}`,
    `-S -t ${seconds}`,
    `-v ${memoryKilobytes}`,
    `-f ${fileBlocks}`,
    '-n 64',
    '-c 0',
  ];
  const script = `${limits.map((limit) => `ulimit ${limit} 2>/dev/null`).join('; ')}; exec "$0" "$@"`;
  return ['/bin/sh', ['-c', script, path, ...args]];
}
