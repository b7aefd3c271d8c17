/** Files for knowledge: announced, sent with progress, then handed to the service, which reads them. */
import { useCallback, useEffect, useRef, useState } from 'react';
import { randomId } from '../../../../browser/random-id.ts';
import { knowledgeFileTypes, limits } from '../../../../contract/limits.ts';
import type { UploadAnswer } from '../../../../contract/messaging/attachments.ts';
import { api } from '../../data/api.ts';
import { describeError } from '../../data/errors.ts';
import { refresh } from '../../data/refresh.ts';
import { putFile } from '../../data/transfer.ts';
import { bytes } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { knowledgeKeys } from '../knowledge-data.ts';

/** Browsers name the type of some of these differently, or not at all. */
const typesByEnding: { [ending: string]: string } = {
  pdf: knowledgeFileTypes.pdf[0],
  docx: knowledgeFileTypes.docx[0],
  html: 'text/html',
  htm: 'text/html',
  md: 'text/markdown',
  markdown: 'text/markdown',
  csv: 'text/csv',
  txt: 'text/plain',
};
export const acceptedFiles = Object.keys(typesByEnding)
  .map((ending) => `.${ending}`)
  .join(',');

const typeOf = ({ name }: File): string | undefined =>
  typesByEnding[/\.([^.]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''];

function refusalOf(file: File): string | null {
  if (!typeOf(file)) return t('knowledge.upload.type');
  if (file.size === 0) return t('knowledge.upload.empty');
  const limit = limits.knowledgeFileBytes;
  return file.size > limit ? t('knowledge.upload.large', { limit: bytes(limit) }) : null;
}

export interface FileUpload {
  id: string;
  name: string;
  size: number;
  share: number;
  problem: string | null;
}

export function useUploads(sourceId: string): {
  uploads: readonly FileUpload[];
  add(files: readonly File[]): Promise<void>;
  dismiss(id: string): void;
} {
  const [uploads, setUploads] = useState<readonly FileUpload[]>([]);
  const aborts = useRef(new Map<string, AbortController>());
  useEffect(() => {
    const open = aborts.current;
    return () => {
      for (const abort of open.values()) abort.abort();
    };
  }, []);
  const change = useCallback(
    (id: string, parts: Partial<FileUpload>) =>
      setUploads((all) => all.map((one) => (one.id === id ? { ...one, ...parts } : one))),
    [],
  );
  const dismiss = useCallback((id: string) => {
    aborts.current.get(id)?.abort();
    setUploads((all) => all.filter((one) => one.id !== id));
  }, []);
  const send = useCallback(
    async (id: string, file: File) => {
      const { signal } = aborts.current.get(id)!;
      try {
        if (signal.aborted) return;
        await sendFile(sourceId, file, (share) => change(id, { share }), signal);
        dismiss(id);
      } catch (error) {
        if (!signal.aborted) change(id, { problem: describeError(error).text });
      } finally {
        aborts.current.delete(id);
      }
    },
    [sourceId, change, dismiss],
  );
  const add = useCallback(
    async (files: readonly File[]) => {
      const chosen = files.map((file) => ({ file, id: randomId(), problem: refusalOf(file) }));
      setUploads((all) => [
        ...all,
        ...chosen.map(({ id, file, problem }) => ({
          id,
          name: file.name,
          size: file.size,
          share: 0,
          problem,
        })),
      ]);
      const accepted = chosen.filter(({ problem }) => problem === null);
      for (const { id } of accepted) aborts.current.set(id, new AbortController());
      // One after the other: the service reads them one at a time, too.
      for (const { id, file } of accepted) await send(id, file);
    },
    [send],
  );
  return { uploads, add, dismiss };
}

async function sendFile(
  sourceId: string,
  file: File,
  onShare: (share: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const fileName = file.name.slice(-limits.fileNameLength);
  const contentType = typeOf(file)!;
  const path = `/knowledge/sources/${sourceId}`;
  const { uploadUrl, fileKey } = await api<UploadAnswer>('POST', `${path}/upload`, {
    body: { fileName, contentType, size: file.size },
    signal,
  });
  await putFile(uploadUrl, file, contentType, onShare, signal);
  await api('POST', `${path}/files`, { body: { fileKey, fileName }, signal });
  await Promise.all([refresh(knowledgeKeys.documents), refresh(knowledgeKeys.sources)]);
}
