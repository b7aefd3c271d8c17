/** The interface of both engines. */

export interface Ffmpeg {
  /** For people. */
  name: string;
  /** Runs one conversion. `input` and `output` are in `folder`, which the engine may give to another user. */
  run(job: { input: string; output: string; folder: string; args: string[] }): Promise<void>;
  close(): Promise<void>;
}

/** The file or its limits are the cause: a retry would fail in the same way. The message may be shown. */
export class NotConverted extends Error {}

/** The last line that ffmpeg wrote, without memory addresses and our paths. */
export function reasonIn(complaint: string, folder: string): string {
  const lines = complaint.trim().split('\n');
  const line = (lines.at(-1) ?? '')
    .replace(/\[[^\]]* @ 0x[0-9a-f]+\] ?/g, '')
    .replaceAll(`${folder}/`, '')
    .trim();
  return line.slice(0, 200) || 'unknown error';
}
