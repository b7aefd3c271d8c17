/**
 * Checks whether the bytes match the declared type. A file may be valid as two types at once, and no check can rule
 * that out; therefore it is served only as the type found here, never as what a browser guesses.
 */
import { FileBytes } from './attachments.bytes.ts';
import { findOfficeProblem } from './attachments.office.ts';
import {
  hasAllOfBoxes,
  hasAllOfGif,
  hasAllOfJpeg,
  hasAllOfPng,
  hasAllOfRiff,
  hasAllOfZip,
} from './attachments.structures.ts';
import { essenceOf } from './attachments.types.ts';

interface Form {
  /** What the beginning may look like. */
  found: readonly string[];
  /** Whether it is complete. Data after the end is ignored: phones append videos to their pictures. */
  isWhole?: (bytes: FileBytes) => Promise<boolean>;
  findProblem?: (bytes: FileBytes) => Promise<string | null>;
}

const oggAudio = ['audio/ogg', 'audio/ogg; codecs=opus'];
const isoAudio = ['audio/mp4', 'audio/x-m4a', 'video/mp4'];
const office = 'application/vnd.openxmlformats-officedocument';
const zipped = (type: string): [string, Form] => [type, { found: [type], isWhole: hasAllOfZip }];
/** All three old formats are the same container; its directory says which one it is. */
const oldOffice = (type: string, streams: string[]): [string, Form] => [
  type,
  { found: ['application/x-cfb'], findProblem: (bytes) => findOfficeProblem(bytes, streams) },
];

const forms = new Map<string, Form>([
  ['image/jpeg', { found: ['image/jpeg'], isWhole: hasAllOfJpeg }],
  ['image/png', { found: ['image/png', 'image/apng'], isWhole: hasAllOfPng }],
  ['image/gif', { found: ['image/gif'], isWhole: hasAllOfGif }],
  ['image/webp', { found: ['image/webp'], isWhole: hasAllOfRiff }],
  ['audio/mpeg', { found: ['audio/mpeg'] }],
  ['audio/wav', { found: ['audio/wav'], isWhole: hasAllOfRiff }],
  ['audio/x-wav', { found: ['audio/wav'], isWhole: hasAllOfRiff }],
  ['audio/ogg', { found: oggAudio }],
  ['audio/opus', { found: oggAudio }],
  ['audio/mp4', { found: isoAudio, isWhole: hasAllOfBoxes }],
  ['audio/x-m4a', { found: isoAudio, isWhole: hasAllOfBoxes }],
  // WebM is one format; only its tracks distinguish audio from video.
  ['audio/webm', { found: ['video/webm'] }],
  ['audio/aac', { found: ['audio/aac'] }],
  ['audio/amr', { found: ['audio/amr'] }],
  ['video/mp4', { found: ['video/mp4', 'video/x-m4v'], isWhole: hasAllOfBoxes }],
  ['video/webm', { found: ['video/webm'] }],
  ['video/quicktime', { found: ['video/quicktime'], isWhole: hasAllOfBoxes }],
  ['application/pdf', { found: ['application/pdf'] }],
  oldOffice('application/msword', ['WordDocument']),
  oldOffice('application/vnd.ms-excel', ['Workbook', 'Book']),
  oldOffice('application/vnd.ms-powerpoint', ['PowerPoint Document']),
  zipped(`${office}.wordprocessingml.document`),
  zipped(`${office}.spreadsheetml.sheet`),
  zipped(`${office}.presentationml.presentation`),
]);

/** Why the file does not match its declared type; null: it does. */
export async function findContentProblem(path: string, contentType: string): Promise<string | null> {
  const type = essenceOf(contentType);
  const form = forms.get(type);
  if (!form) return FileBytes.with(path, findTextProblem);
  const { fileTypeFromFile } = await import('file-type');
  const found = (await fileTypeFromFile(path).catch(() => undefined))?.mime;
  if (!found || !form.found.includes(found)) return `the content is not ${type}`;
  return FileBytes.with(path, async (bytes) => {
    if (form.isWhole && !(await form.isWhole(bytes))) return `the content is not a whole ${type} file`;
    return (await form.findProblem?.(bytes)) ?? null;
  });
}

async function findTextProblem(bytes: FileBytes): Promise<string | null> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of bytes.from(0)) {
      if (chunk.includes(0)) return 'the content is not text: it contains a NUL character';
      decoder.decode(chunk, { stream: true });
    }
    decoder.decode();
    return null;
  } catch {
    return 'the content is not text in UTF-8';
  }
}
