/** The thread's side. A library is loaded with the first document that needs it. */
import { parentPort } from 'node:worker_threads';
import { serveThread } from '../../../platform/concurrency/on-demand-thread.ts';
import { checkLength, cleanText, cleanTitle, nameWithoutEnding } from './extracted-text.ts';
import { ExtractionProblem } from './extraction.problem.ts';
import type { Extracted, ExtractionAnswer, ExtractionRequest, Format } from './extraction.ts';

const readers: Record<Format, (request: ExtractionRequest) => Promise<Extracted>> = {
  html: async (request) => (await import('./extract-html.ts')).extractHtml(request),
  pdf: async (request) => (await import('./extract-pdf.ts')).extractPdf(request),
  docx: async (request) => (await import('./extract-docx.ts')).extractDocx(request),
  csv: async (request) => (await import('./extract-csv.ts')).extractCsv(request),
  markdown: async (request) => (await import('./extract-text.ts')).extractMarkdown(request),
  text: async (request) => (await import('./extract-text.ts')).extractPlainText(request),
};

async function answer(request: ExtractionRequest): Promise<ExtractionAnswer> {
  try {
    const { title, text, ...rest } = await readers[request.format](request);
    const cleaned = cleanText(text);
    checkLength(cleaned.length);
    if (!/[\p{L}\p{N}]/u.test(cleaned)) throw new ExtractionProblem('no_text', 'no text in it');
    return {
      extracted: {
        ...rest,
        title: cleanTitle(title) || cleanTitle(nameWithoutEnding(request.fileName)),
        text: cleaned,
      },
    };
  } catch (error) {
    const { code, message } = error instanceof ExtractionProblem ? error : damaged(request.format);
    return { problem: { code, message } };
  }
}

const names: Record<Format, string> = {
  html: 'an HTML page',
  pdf: 'a PDF',
  docx: 'a Word document (DOCX)',
  csv: 'a CSV file',
  markdown: 'a text file',
  text: 'a text file',
};

/** The library threw: what it says of the file is not for people. */
const damaged = (format: Format): ExtractionProblem =>
  new ExtractionProblem('broken', `it cannot be read as ${names[format]}: it is damaged or something else`);

if (parentPort) serveThread<ExtractionRequest, ExtractionAnswer>(parentPort, answer);
