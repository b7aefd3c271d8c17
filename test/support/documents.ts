/** PDF and Word files made here, whole and hostile. */
import { crc32, deflateRawSync, deflateSync } from 'node:zlib';

export interface PdfLine {
  text: string;
  /** In points. */
  size?: number;
  /** Below the line above; without it, the next line of the same paragraph. */
  gap?: number;
}

/** Each page is a list of lines. `extra` goes into its catalogue, `stream` replaces the content of all pages. */
export function pdfOf(
  pages: PdfLine[][],
  {
    title,
    language,
    stream,
    trailer = '',
  }: { title?: string; language?: string; stream?: Buffer; trailer?: string } = {},
): Buffer {
  const objects: Buffer[] = [];
  const add = (content: string | Buffer): number => objects.push(Buffer.from(content as string));
  const catalogue = add('');
  const tree = add('');
  const font = add('<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>');
  const kids = pages.map((lines) => {
    const content = stream ?? deflateSync(Buffer.from(contentOf(lines), 'latin1'));
    const id = add(
      Buffer.concat([
        Buffer.from(`<</Length ${content.length}/Filter/FlateDecode>>\nstream\n`),
        content,
        Buffer.from('\nendstream'),
      ]),
    );
    return add(
      `<</Type/Page/Parent ${tree} 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F1 ${font} 0 R>>>>/Contents ${id} 0 R>>`,
    );
  });
  const info = add(`<<${title === undefined ? '' : `/Title(${title})`}>>`);
  const lang = language === undefined ? '' : `/Lang(${language})`;
  objects[catalogue - 1] = Buffer.from(`<</Type/Catalog/Pages ${tree} 0 R${lang}>>`);
  objects[tree - 1] = Buffer.from(
    `<</Type/Pages/Count ${kids.length}/Kids[${kids.map((id) => `${id} 0 R`).join(' ')}]>>`,
  );
  return pdfFile(objects, `/Root ${catalogue} 0 R/Info ${info} 0 R${trailer}`);
}

function contentOf(lines: readonly PdfLine[]): string {
  let y = 800;
  const parts = lines.map(({ text, size = 12, gap = size * 1.2 }) => {
    y -= gap;
    return `BT /F1 ${size} Tf 1 0 0 1 50 ${y} Tm (${text.replace(/[\\()]/g, '\\$&')}) Tj ET`;
  });
  return parts.join('\n');
}

function pdfFile(objects: readonly Buffer[], trailer: string): Buffer {
  const parts = [Buffer.from('%PDF-1.7\n')];
  const places: number[] = [];
  let length = parts[0]!.length;
  for (const [index, object] of objects.entries()) {
    places.push(length);
    const part = Buffer.concat([Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')]);
    parts.push(part);
    length += part.length;
  }
  const table = places.map((place) => `${String(place).padStart(10, '0')} 00000 n \n`).join('');
  const count = objects.length + 1;
  parts.push(
    Buffer.from(
      `xref\n0 ${count}\n0000000000 65535 f \n${table}trailer\n<</Size ${count}${trailer}>>\nstartxref\n${length}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}

/** Needs a password that nobody has. */
export function protectedPdf(): Buffer {
  const zeros = '0'.repeat(64);
  return pdfOf([[{ text: 'Secret' }]], {
    trailer: `/ID[<${'1'.repeat(32)}><${'1'.repeat(32)}>]/Encrypt<</Filter/Standard/V 2/R 3/Length 128/P -4/O<${zeros}>/U<${zeros}>>>`,
  });
}

export interface ZipEntry {
  name: string;
  content: Buffer | string;
  /** What the directory says, instead of the truth. */
  claimedSize?: number;
}

export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, content, claimedSize } of entries) {
    const bytes = Buffer.from(content as string);
    const compressed = deflateRawSync(bytes);
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(bytes), 10);
    fields.writeUInt32LE(compressed.length, 14);
    fields.writeUInt32LE(claimedSize ?? bytes.length, 18);
    fields.writeUInt16LE(name.length, 22);
    const header = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), fields, Buffer.from(name)]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\0', 'latin1'), fields, rest, Buffer.from(name));
    parts.push(header, compressed);
    offset += header.length + compressed.length;
  }
  const size = directory.reduce((sum, { length }) => sum + length, 0);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, ...directory, end]);
}

const word = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** `body` is WordprocessingML. */
export function docxOf(body: string, { title, claimedSize }: { title?: string; claimedSize?: number } = {}) {
  const core = `<cp:coreProperties xmlns:cp="c" xmlns:dc="d"><dc:title>${title}</dc:title></cp:coreProperties>`;
  return zipOf([
    {
      name: '[Content_Types].xml',
      content: `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    },
    {
      name: '_rels/.rels',
      content: `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="${relations}/officeDocument" Target="word/document.xml"/></Relationships>`,
    },
    {
      name: 'word/styles.xml',
      content: `<w:styles xmlns:w="${word}"><w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/></w:style></w:styles>`,
    },
    ...(title === undefined ? [] : [{ name: 'docProps/core.xml', content: core }]),
    {
      name: 'word/document.xml',
      content: `<w:document xmlns:w="${word}"><w:body>${body}</w:body></w:document>`,
      ...(claimedSize !== undefined && { claimedSize }),
    },
  ]);
}

export const docxParagraph = (text: string, style?: string): string =>
  `<w:p>${style ? `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>` : ''}<w:r><w:t>${text}</w:t></w:r></w:p>`;

export function docxTable(rows: readonly string[][]): string {
  const cells = (row: readonly string[]) => row.map((cell) => `<w:tc>${docxParagraph(cell)}</w:tc>`).join('');
  return `<w:tbl>${rows.map((row) => `<w:tr>${cells(row)}</w:tr>`).join('')}</w:tbl>`;
}
