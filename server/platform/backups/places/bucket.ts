/** A multipart upload becomes an object only with its last request: a crash leaves the whole object or none. */
import { createS3Client, elementOf, type S3Call, type S3Settings } from '../../blobs/s3-client.ts';
import { BackupError } from '../backup-error.ts';
import { type BackupPlace, measure, type Written } from './place.ts';

const firstPartBytes = 16 * 2 ** 20;
/** There are 10,000 parts at most: later ones are larger, so that 880 GB fit. */
const partsOfOneSize = 1_000;

export function createBucketPlace(settings: S3Settings, prefix: string): BackupPlace {
  const client = createS3Client(settings);
  const askText = async (name: string, call: S3Call): Promise<string> => {
    const answer = await client.ask(`${prefix}${name}`, call);
    if (!answer) throw new BackupError(`the bucket ${settings.bucket} has lost an upload in progress`);
    const text = await answer.body.text();
    // A complete upload may fail after its 200.
    if (text.includes('<Error>'))
      throw new BackupError(`the bucket refused the backup (${elementOf(text, 'Code')})`);
    return text;
  };
  const putPart = async (
    name: string,
    uploadId: string,
    partNumber: number,
    part: Buffer,
  ): Promise<string> => {
    const query = { partNumber: String(partNumber), uploadId };
    const headers = { 'content-length': String(part.length) };
    const answer = await client.ask(`${prefix}${name}`, { method: 'PUT', query, headers, body: part });
    await answer?.body.dump();
    const tag = answer?.headers.etag;
    if (typeof tag !== 'string') throw new BackupError('the bucket did not confirm a part of the backup');
    return tag;
  };
  const abort = async (name: string, uploadId: string) => {
    const answer = await client.ask(`${prefix}${name}`, { method: 'DELETE', query: { uploadId } });
    await answer?.body.dump();
  };

  return {
    text: `s3://${settings.bucket}/${prefix.replace(/\/$/, '')}`,
    exists: async () => true,
    async list() {
      const found: { name: string; bytes: number }[] = [];
      for await (const { key, bytes } of client.list(prefix))
        found.push({ name: key.slice(prefix.length), bytes });
      return found.filter(({ name }) => !name.includes('/'));
    },
    async write(name, content, onDraft = async () => {}) {
      const begun = await askText(name, { method: 'POST', query: { uploads: '' } });
      const uploadId = elementOf(begun, 'UploadId');
      if (!uploadId) throw new BackupError('the bucket does not take uploads in parts');
      let written: Written | null = null;
      try {
        await onDraft(uploadId);
        const tags: string[] = [];
        const onEnd = (result: Written) => {
          written = result;
        };
        for await (const part of partsOf(measure(content, onEnd))) {
          tags.push(await putPart(name, uploadId, tags.length + 1, part));
        }
        const parts = tags.map(
          (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`,
        );
        const body = `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
        const headers = { 'content-type': 'application/xml' };
        await askText(name, { method: 'POST', query: { uploadId }, headers, body });
      } catch (error) {
        content.destroy();
        await abort(name, uploadId).catch(() => {});
        throw error;
      }
      return written!;
    },
    discard: (name, draft) => abort(name, draft),
    async read(name) {
      return (await client.ask(`${prefix}${name}`, { method: 'GET' }))?.body ?? null;
    },
    async remove(name) {
      await (await client.ask(`${prefix}${name}`, { method: 'DELETE' }))?.body.dump();
    },
    close: () => client.close(),
  };
}

/** All of one size but the last, as some stores require. */
async function* partsOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  let count = 0;
  for await (const chunk of chunks) {
    waiting.push(chunk);
    bytes += chunk.length;
    const wanted = firstPartBytes * (1 + Math.floor(count / partsOfOneSize));
    if (bytes < wanted) continue;
    const all = Buffer.concat(waiting);
    yield all.subarray(0, wanted);
    count++;
    waiting = [all.subarray(wanted)];
    bytes -= wanted;
  }
  if (bytes > 0 || count === 0) yield Buffer.concat(waiting);
}
