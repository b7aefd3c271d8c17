/** A small real file of every type that may be attached, generated here, and ways to make it any size. */
import { Buffer } from 'node:buffer';
import { crc32, deflateSync } from 'node:zlib';

const jpegOfOnePixel =
  '/9j/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8ybqmx5moq6T/2wBDARweHigj' +
  'KE4rK06kbl1upKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKT/wAARCAABAAEDASIAAhEBAxEB/8QA' +
  'FQABAQAAAAAAAAAAAAAAAAAAAAb/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFAEBAAAAAAAAAAAAAAAAAAAAAP/EABQRAQAAAAAAAAAAAAAA' +
  'AAAAAAD/2gAMAwEAAhEDEQA/AKYAH//Z';
const office = 'application/vnd.openxmlformats-officedocument';

/** By content type: the smallest valid file. */
export const sampleFiles: Record<string, () => Buffer> = {
  'image/jpeg': () => Buffer.from(jpegOfOnePixel, 'base64'),
  'image/png': () => png(1, 1),
  'image/gif': () => Buffer.from('R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw==', 'base64'),
  'image/webp': () => Buffer.from('UklGRh4AAABXRUJQVlA4TBEAAAAvAAAAAAfQ//73v/+BiOh/AAA=', 'base64'),
  'audio/mpeg': () => Buffer.concat(Array.from({ length: 4 }, mpegFrame)),
  'audio/wav': () => wav(800),
  'audio/x-wav': () => wav(800),
  'audio/ogg': () => ogg(Buffer.from('\x01vorbis\0\0\0\0\x01\x80\xbb\0\0', 'latin1')),
  'audio/opus': () => ogg(Buffer.from('OpusHead\x01\x01\x38\x01\x80\xbb\0\0\0\0\0', 'latin1')),
  'audio/mp4': () => boxes('M4A '),
  'audio/x-m4a': () => boxes('M4A '),
  'audio/webm': webm,
  'audio/aac': () => Buffer.concat(Array.from({ length: 4 }, adtsFrame)),
  'audio/amr': () => Buffer.concat([Buffer.from('#!AMR\n'), Buffer.alloc(32, 0x3c)]),
  'video/mp4': () => boxes('isom'),
  'video/webm': webm,
  'video/quicktime': () => boxes('qt  '),
  'application/pdf': () =>
    Buffer.from('%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\nstartxref\n0\n%%EOF\n'),
  'application/msword': () => compound('WordDocument'),
  'application/vnd.ms-excel': () => compound('Workbook'),
  'application/vnd.ms-powerpoint': () => compound('PowerPoint Document'),
  [`${office}.wordprocessingml.document`]: () => officeZip('word/document.xml', 'wordprocessingml.document'),
  [`${office}.spreadsheetml.sheet`]: () => officeZip('xl/workbook.xml', 'spreadsheetml.sheet'),
  [`${office}.presentationml.presentation`]: () =>
    officeZip('ppt/presentation.xml', 'presentationml.presentation'),
  'text/plain': () => Buffer.from('Grüße aus dem Süden\n'),
  'text/csv': () => Buffer.from('name,age\nZoë,7\n'),
};

/** The sample of the type, extended to exactly this many bytes without holding it in memory. */
export async function* sampleOfSize(contentType: string, size: number): AsyncGenerator<Buffer> {
  const head = sampleFiles[contentType]!();
  let left = size - head.length;
  yield head;
  if (/^(audio\/(mp4|x-m4a)|video\/(mp4|quicktime))$/.test(contentType)) {
    const free = Buffer.alloc(8);
    free.writeUInt32BE(left);
    free.write('free', 4, 'latin1');
    yield free;
    left -= 8;
  }
  const filling = Buffer.alloc(64 * 1024, contentType.startsWith('text/') ? ' ' : 0);
  for (; left > 0; left -= filling.length) yield filling.subarray(0, Math.min(left, filling.length));
}

export function png(width: number, height: number): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const rows = deflateSync(Buffer.alloc((width * 3 + 1) * height));
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngChunk('IHDR', head),
    pngChunk('IDAT', rows),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** A file of a kilobyte that expands to `side` × `side` pixels: more than is ever rendered, from 7,100 on. */
export function hugePng(side = 60_000): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(side, 0);
  head.writeUInt32BE(side, 4);
  head.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    pngChunk('IHDR', head),
    pngChunk('IDAT', deflateSync(Buffer.alloc(1_000_000))),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

export function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}

/** MPEG 1 layer III, 128 kbit/s at 44.1 kHz: 417 bytes of silence. */
function mpegFrame(): Buffer {
  return Buffer.concat([Buffer.from('fffb9000', 'hex'), Buffer.alloc(413)]);
}

/** AAC-LC, 44.1 kHz, two channels, 16 bytes of it. */
function adtsFrame(): Buffer {
  return Buffer.concat([Buffer.from('fff15080021ffc', 'hex'), Buffer.alloc(9)]);
}

export function wav(samples: number): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(36 + samples * 2, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8_000, 24);
  head.writeUInt32LE(16_000, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(samples * 2, 40);
  return Buffer.concat([head, Buffer.alloc(samples * 2)]);
}

function ogg(packet: Buffer): Buffer {
  const head = Buffer.alloc(28);
  head.write('OggS', 0, 'latin1');
  head[5] = 2;
  head[26] = 1;
  head[27] = packet.length;
  return Buffer.concat([head, packet]);
}

function boxes(brand: string): Buffer {
  const box = (type: string, body: Buffer) => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(8 + body.length);
    head.write(type, 4, 'latin1');
    return Buffer.concat([head, body]);
  };
  return Buffer.concat([
    box('ftyp', Buffer.from(`${brand}\0\0\0\0${brand}`, 'latin1')),
    box('moov', Buffer.alloc(16)),
  ]);
}

function webm(): Buffer {
  const docType = Buffer.concat([Buffer.from('428284', 'hex'), Buffer.from('webm')]);
  return Buffer.concat([
    Buffer.from('1a45dfa3', 'hex'),
    Buffer.from([0x80 | docType.length]),
    docType,
    Buffer.from('18538067', 'hex'),
    Buffer.from('01ffffffffffffff', 'hex'),
  ]);
}

/** A compound file of four sectors: header, table, directory, and an empty one. */
export function compound(stream: string): Buffer {
  const bytes = Buffer.alloc(512 * 4);
  bytes.set(Buffer.from('d0cf11e0a1b11ae1', 'hex'));
  bytes.writeUInt16LE(0x3e, 24);
  bytes.writeUInt16LE(3, 26);
  bytes.writeUInt16LE(0xfffe, 28);
  bytes.writeUInt16LE(9, 30);
  bytes.writeUInt16LE(6, 32);
  bytes.writeUInt32LE(1, 44);
  bytes.writeUInt32LE(1, 48);
  bytes.fill(0xff, 76, 512);
  bytes.writeUInt32LE(0, 76);
  bytes.fill(0xff, 512, 1024);
  bytes.writeUInt32LE(0xfffffffd, 512);
  bytes.writeUInt32LE(0xfffffffe, 516);
  for (const [index, name] of ['Root Entry', stream].entries()) {
    const at = 1024 + 128 * index;
    bytes.write(name, at, 'utf16le');
    bytes.writeUInt16LE(name.length * 2 + 2, at + 64);
  }
  return bytes;
}

function officeZip(part: string, type: string): Buffer {
  const main = `application/vnd.openxmlformats-officedocument.${type}.main+xml`;
  const types = `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/${part}" ContentType="${main}"/></Types>`;
  return zip({ '[Content_Types].xml': types, '_rels/.rels': '<Relationships/>', [part]: '<x/>' });
}

/** Stored, not compressed. */
export function zip(files: Record<string, string>): Buffer {
  const locals: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const data = Buffer.from(text);
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt32LE(crc32(data), 10);
    shared.writeUInt32LE(data.length, 14);
    shared.writeUInt32LE(data.length, 18);
    shared.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), shared, Buffer.from(name), data]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(
      Buffer.concat([Buffer.from('PK\x01\x02\x14\0', 'latin1'), shared, rest, Buffer.from(name)]),
    );
    locals.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, central, end]);
}
