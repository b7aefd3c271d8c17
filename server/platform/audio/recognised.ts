/** The interface and results of both engines. */
import type { AudioFile } from './audio-formats.ts';

export interface Recognised {
  text: string;
  /** ISO 639-1; `und` if the engine does not report it. */
  language: string;
  engine: string;
}

export interface Recogniser {
  /** How many requests it handles at once. */
  concurrency: number;
  /** `folder` must be empty. Rejects with NotRecognised, or with an error that may be transient. */
  recognise(audio: AudioFile, folder: string): Promise<Recognised>;
  close(): Promise<void>;
}

/** A retry would fail in the same way. The message is stored on the attachment, for people to read. */
export class NotRecognised extends Error {}
