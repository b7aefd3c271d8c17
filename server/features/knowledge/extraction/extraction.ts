/**
 * Reads the text of files and pages as Markdown, in a worker thread with limits of time and memory. A document that
 * exceeds one ends the thread and fails alone.
 */
import {
  createOnDemandThread,
  ThreadOutOfMemory,
  ThreadTimeout,
} from '../../../platform/concurrency/on-demand-thread.ts';
import { ExtractionProblem, type ProblemCode } from './extraction.problem.ts';

export { ExtractionProblem };

export type Format = 'html' | 'pdf' | 'docx' | 'markdown' | 'text' | 'csv';

export interface ExtractionInput {
  /** Accounts take turns. */
  accountId: string;
  format: Format;
  /** Text is read by its byte order mark, else as UTF-8 if it is that, else as the HTML says, else as Windows-1252. */
  bytes: Uint8Array;
  /** Of a page: its links are relative to it. */
  url?: string;
  fileName?: string;
  signal?: AbortSignal;
}

export interface Extracted {
  /** Empty only for a page without one. */
  title: string;
  /** Markdown. */
  text: string;
  /** As the document says; null: it does not. */
  language: string | null;
  /** Of HTML only. */
  page: ExtractedPage | null;
}

export interface ExtractedPage {
  /** Absolute http(s) addresses without fragments, each once. */
  links: string[];
  canonical: string | null;
  isNoindex: boolean;
  isNofollow: boolean;
}

export interface Extraction {
  /** Throws an `ExtractionProblem` if the document is at fault. */
  extract(input: ExtractionInput): Promise<Extracted>;
  stop(): Promise<void>;
}

export type ExtractionRequest = Omit<ExtractionInput, 'signal' | 'accountId'>;
export type ExtractionAnswer = { extracted: Extracted } | { problem: { code: ProblemCode; message: string } };

/** A PDF of 1,000 pages takes about ten seconds; an HTML page takes milliseconds, and a website has thousands. */
const defaultTimeoutMs = 60_000;
const defaultHtmlTimeoutMs = 10_000;
const defaultHeapMb = 512;
const defaultBuffersMb = 384;
const defaultIdleMs = 60_000;

export function createExtraction({
  timeoutMs = defaultTimeoutMs,
  htmlTimeoutMs = defaultHtmlTimeoutMs,
  heapMb = defaultHeapMb,
  buffersMb = defaultBuffersMb,
  idleMs = defaultIdleMs,
} = {}): Extraction {
  const file = new URL('./extraction.thread.ts', import.meta.url);
  const thread = createOnDemandThread<ExtractionRequest, ExtractionAnswer>({
    file,
    data: null,
    idleMs,
    heapMb,
    buffersMb,
  });
  return {
    async extract({ signal, accountId, ...request }) {
      const withinMs = request.format === 'html' ? htmlTimeoutMs : timeoutMs;
      const answer = await thread.ask(request, withinMs, { signal, key: accountId }).catch((error) => {
        throw asProblem(error);
      });
      if ('extracted' in answer) return answer.extracted;
      throw new ExtractionProblem(answer.problem.code, answer.problem.message);
    },
    stop: () => thread.close(),
  };
}

/** Any other error is not the document's fault. */
function asProblem(error: unknown): unknown {
  if (error instanceof ThreadTimeout) return new ExtractionProblem('timeout', 'reading it takes too long');
  if (error instanceof ThreadOutOfMemory) {
    return new ExtractionProblem('too_large', 'reading it needs too much memory');
  }
  return error;
}
