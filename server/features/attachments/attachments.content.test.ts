/** The bytes decide the type, not a name or a header. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { attachmentKinds } from '../../../contract/limits.ts';
import { hostileFiles } from '../../../test/support/hostile-files.ts';
import { compound, png, pngChunk, sampleFiles, wav, zip } from '../../../test/support/sample-files.ts';
import { findContentProblem } from './attachments.content.ts';

const types = Object.values(attachmentKinds).flatMap((kind) => [...kind.types]);
const office = 'application/vnd.openxmlformats-officedocument';
const docx = `${office}.wordprocessingml.document`;

describe('the content of files', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'talkboard-content-'));
  });
  after(() => rmSync(folder, { recursive: true }));
  const problemOf = (type: string, bytes: Buffer) => {
    const path = join(folder, 'file');
    writeFileSync(path, bytes);
    return findContentProblem(path, type);
  };
  const accepts = async (type: string, bytes: Buffer, what = type) =>
    assert.equal(await problemOf(type, bytes), null, what);
  const refuses = async (type: string, bytes: Buffer, what: string) =>
    assert.equal(typeof (await problemOf(type, bytes)), 'string', `${what} as ${type}`);

  it('every type that may be attached has a sample, and the sample is taken', async () => {
    assert.deepEqual(Object.keys(sampleFiles).sort(), [...types].sort());
    for (const type of types) await accepts(type, sampleFiles[type]!());
    await accepts('audio/ogg', sampleFiles['audio/opus']!());
    await accepts('audio/mp4', sampleFiles['video/mp4']!());
  });

  it('a renamed file is refused: every sample under every type of another format', async () => {
    // Types that share a format, or of which one contains the other.
    const families = [
      ['audio/wav', 'audio/x-wav'],
      ['audio/ogg', 'audio/opus'],
      ['audio/mp4', 'audio/x-m4a', 'video/mp4'],
      ['audio/webm', 'video/webm'],
      ['text/plain', 'text/csv'],
    ];
    for (const [real, make] of Object.entries(sampleFiles)) {
      for (const declared of types) {
        const related = families.some((one) => one.includes(real) && one.includes(declared));
        if (real === declared || related) continue;
        const bytes = make();
        // A PDF of plain letters is text too, and is served as such.
        if (declared.startsWith('text/') && !bytes.includes(0) && bytes.every((byte) => byte < 128)) continue;
        await refuses(declared, bytes, real);
      }
    }
  });

  it('a file that was cut off is refused, wherever it was cut', async () => {
    const whole = [
      'image/jpeg',
      'image/png',
      'image/gif',
      'image/webp',
      'audio/wav',
      'video/mp4',
      'video/quicktime',
      docx,
    ];
    for (const type of whole) {
      const bytes = sampleFiles[type]!();
      for (const share of [0.1, 0.3, 0.5, 0.7, 0.9, 0.99]) {
        const length = Math.min(Math.floor(bytes.length * share), bytes.length - 2);
        await refuses(type, bytes.subarray(0, length), `${length} of ${bytes.length} bytes`);
      }
    }
    await refuses(
      'application/msword',
      sampleFiles['application/msword']!().subarray(0, 1_200),
      'cut document',
    );
    for (const type of types.filter((one) => !one.startsWith('text/'))) {
      await refuses(type, Buffer.alloc(0), 'nothing');
      await refuses(type, Buffer.alloc(1_000), 'zeros');
      await refuses(type, Buffer.from('x'), 'one letter');
    }
  });

  it('data after the end is ignored: phones append videos to their pictures', async () => {
    for (const type of ['image/jpeg', 'image/png', 'image/gif', 'image/webp']) {
      await accepts(type, Buffer.concat([sampleFiles[type]!(), sampleFiles['video/mp4']!()]));
    }
  });

  it('recordings whose length was not known when they began are taken', async () => {
    for (const length of [0, 0xffffffff, 0x7fffffff]) {
      const bytes = wav(100);
      bytes.writeUInt32LE(length, 4);
      await accepts('audio/wav', bytes, String(length));
    }
  });

  it('text must be UTF-8 without NUL, also where a character is split between two reads', async () => {
    const long = Buffer.from('ä'.repeat(100_000));
    await accepts('text/plain', long);
    await accepts('text/plain', Buffer.concat([Buffer.from('x'), long]));
    await accepts('text/csv', Buffer.from('\ufeffa;b\r\n'));
    for (const [what, bytes] of [
      ['Latin-1', Buffer.from('Grüße', 'latin1')],
      ['UTF-16', Buffer.from('\ufeffHello', 'utf16le')],
      ['a NUL', Buffer.from('Hel\0lo')],
      ['half a character', long.subarray(0, long.length - 1)],
      ['a lone surrogate', Buffer.from('eda080', 'hex')],
      ['a program', Buffer.from('7f454c4602010100', 'hex')],
    ] as const) {
      await refuses('text/plain', bytes, what);
    }
  });

  it('archives, installers and documents with macros are not documents', async () => {
    await refuses(docx, zip({ 'readme.txt': 'hello' }), 'an archive');
    await refuses(docx, zip({ 'META-INF/MANIFEST.MF': 'x', 'A.class': 'x' }), 'a JAR');
    const macros =
      '<Types><Override PartName="/word/document.xml" ContentType="application/vnd.ms-word.document.macroEnabled.main+xml"/></Types>';
    await refuses(docx, zip({ '[Content_Types].xml': macros, 'word/document.xml': '<x/>' }), 'macros');
    await refuses('application/msword', compound('!ProductName'), 'an installer');
    await refuses('application/msword', sampleFiles['application/vnd.ms-excel']!(), 'a sheet');
  });

  it('endless structures are given up on', { timeout: 20_000 }, async () => {
    const empty = pngChunk('tEXt', Buffer.alloc(0));
    const head = png(1, 1).subarray(0, 33);
    const bytes = Buffer.concat([head, ...Array(400_000).fill(empty)]);
    await refuses('image/png', bytes, 'chunks without an end');
    const circle = compound('x');
    circle.writeUInt32LE(1, 516);
    await refuses('application/msword', circle, 'a directory that follows itself');
  });

  it('hostile files are refused as anything that is shown', async () => {
    for (const { name, bytes } of hostileFiles()) {
      for (const type of types.filter((one) => /^(image|audio|video)\//.test(one))) {
        await refuses(type, bytes, name);
      }
    }
  });
});
