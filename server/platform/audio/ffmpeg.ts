/** What both engines are. */

export interface Ffmpeg {
  /** For people. */
  name: string;
  /** Runs one conversion. `input` and `output` are in `folder`, which the engine may give to another user. */
  run(job: { input: string; output: string; folder: string; args: string[] }): Promise<void>;
  close(): Promise<void>;
}

/** The file is at fault, or the limits are: another try would end the same way. Its message may be shown. */
export class NotConverted extends Error {}

/** The last line that ffmpeg wrote, without addresses in memory and without our paths. */
export function reasonIn(complaint: string, folder: string): string {
  const lines = complaint.trim().split('\n');
  const line = (lines.at(-1) ?? '')
    .replace(/\[[^\]]* @ 0x[0-9a-f]+\] ?/g, '')
    .replaceAll(`${folder}/`, '')
    .trim();
  return line.slice(0, 200) || 'unknown error';
}
