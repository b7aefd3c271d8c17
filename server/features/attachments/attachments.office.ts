/**
 * The container of DOC, XLS and PPT (and of installers, mails, drawings): a small file system whose directory names
 * the content. Layout: 512 bytes of header, then sectors chained by a table.
 */
import type { FileBytes } from './attachments.bytes.ts';

const entryBytes = 128;
/** The header lists this many sectors of the table; sectors beyond them are not read. */
const listedTables = 109;
const lastSector = 0xfffffffa;
const maxSectors = 1_000;

export async function findOfficeProblem(
  bytes: FileBytes,
  streams: readonly string[],
): Promise<string | null> {
  const header = await bytes.read(0, 512);
  if (!header) return 'the content is not a whole document';
  const shift = header.readUInt16LE(30);
  // Other lengths do not exist; tolerant programs may still read such a file.
  if (shift !== 9 && shift !== 12) return null;
  const tables = Array.from({ length: listedTables }, (_, i) => header.readUInt32LE(76 + 4 * i));
  const sectorBytes = 2 ** shift;
  const offsetOf = (sector: number) => (sector + 1) * sectorBytes;
  let sector = header.readUInt32LE(48);
  for (let read = 0; sector < lastSector && read < maxSectors; read++) {
    const entries = await bytes.read(offsetOf(sector), sectorBytes);
    if (!entries) return 'the content is not a whole document';
    for (let at = 0; at < sectorBytes; at += entryBytes) {
      const length = Math.min(Math.max(entries.readUInt16LE(at + 64) - 2, 0), 62);
      if (streams.includes(entries.toString('utf16le', at, at + length))) return null;
    }
    const perTable = sectorBytes / 4;
    const table = tables[Math.floor(sector / perTable)];
    if (table === undefined || table >= lastSector) break;
    const next = await bytes.read(offsetOf(table) + 4 * (sector % perTable), 4);
    if (!next) return 'the content is not a whole document';
    sector = next.readUInt32LE(0);
  }
  return `the content is not what its type says: it has no ${streams.join(' or ')}`;
}
