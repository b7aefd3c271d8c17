/** Word documents, by way of HTML. */
import mammoth from 'mammoth';
import { extractHtmlText } from './extract-html.ts';
import { ExtractionProblem } from './extraction.problem.ts';
import type { Extracted, ExtractionRequest } from './extraction.ts';
import { openZip } from './unzip.ts';

/** A protected document is not a ZIP file, but one of the format before it. */
const compoundFile = [0xd0, 0xcf, 0x11, 0xe0];

export async function extractDocx({ bytes }: ExtractionRequest): Promise<Extracted> {
  if (compoundFile.every((byte, at) => bytes[at] === byte)) {
    throw new ExtractionProblem('protected', 'protected by a password');
  }
  const zip = openZip(bytes);
  // Its own reader of ZIP files has no limits; the type of the parameter does not have this one.
  const input = { file: zip } as unknown as { buffer: Buffer };
  const { value: html } = await mammoth.convertToHtml(input, {
    externalFileAccess: false,
    includeEmbeddedStyleMap: false,
    styleMap: ["p[style-name='Title'] => h1:fresh"],
    // Without this, the bytes of every picture would become part of the text.
    convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
  });
  const { title, text } = extractHtmlText(html);
  const properties = zip.exists('docProps/core.xml') ? await zip.read('docProps/core.xml', 'utf-8') : '';
  return { title: coreTitle(properties) || title, text, language: null, page: null };
}

const coreTitle = (xml: string): string =>
  (/<dc:title>([^<]{1,2000})<\/dc:title>/.exec(xml)?.[1] ?? '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&');
