/** What both engines are and give. */
import type { AudioFile } from './audio-formats.ts';

export interface Recognised {
  text: string;
  /** ISO 639-1; `und` where the engine does not tell. */
  language: string;
  engine: string;
}

export interface Recogniser {
  /** For people; null: there is none. */
  engine: string | null;
  /** How many it works on at once. */
  concurrency: number;
  /** `folder` is an empty one of its own. Rejects with NotRecognised, or with an error that may pass. */
  recognise(audio: AudioFile, folder: string): Promise<Recognised>;
  close(): Promise<void>;
}

/** Another try would end the same way. Its message stands on the attachment, for people to read. */
export class NotRecognised extends Error {}
