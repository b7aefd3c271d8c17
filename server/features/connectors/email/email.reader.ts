/**
 * Reads raw mails in a thread with a limit of memory and a deadline. A mail that exceeds one has its headers, and a line
 * in place of its text.
 */
import { createOnDemandThread } from '../../../platform/concurrency/on-demand-thread.ts';
import { headerBytes, noMail, type ParsedMail, unreadable } from './email.parse.ts';

export interface ReadRequest {
  raw: Uint8Array;
  /** False: only its headers are read. */
  isWhole: boolean;
}

export interface MailReader {
  read(raw: Buffer): Promise<ParsedMail>;
  /** Of a mail that was not fetched as a whole. */
  readHeaders(raw: Buffer): Promise<ParsedMail>;
}

/** A mail of 25 MB in base64 takes about a second, and little of the heap. */
const defaultTimeoutMs = 20_000;
const defaultHeapMb = 256;
const idleMs = 60_000;

export function createMailReader({ timeoutMs = defaultTimeoutMs, heapMb = defaultHeapMb } = {}): MailReader {
  const file = new URL('./email.thread.ts', import.meta.url);
  const thread = createOnDemandThread<ReadRequest, ParsedMail>({ file, data: null, idleMs, heapMb });
  const ask = async (raw: Buffer, isWhole: boolean): Promise<ParsedMail | null> => {
    try {
      return withBuffers(await thread.ask({ raw, isWhole }, timeoutMs));
    } catch (error) {
      // The machine has no thread for any mail: it is not this one's fault.
      if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_INIT_FAILED') throw error;
      return null;
    }
  };
  const readHeaders = async (raw: Buffer) => (await ask(raw.subarray(0, headerBytes), false)) ?? noMail();
  return {
    readHeaders,
    async read(raw) {
      return (await ask(raw, true)) ?? { ...(await readHeaders(raw)), text: unreadable };
    },
  };
}

/** Of the process: its thread ends when no mail is read. */
export const mailReader = createMailReader();

/** The way to a thread and back makes plain arrays of them. */
function withBuffers(mail: ParsedMail): ParsedMail {
  const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
    Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
  return { ...mail, files: mail.files.map((file) => ({ ...file, bytes: bufferOf(file.bytes) })) };
}
