import { useCallback, useRef, useState } from 'react';
import { limits } from '../../../../contract/limits.ts';
import { bytes } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { toast } from '../../ui/overlays/toast.tsx';
import { refusalOf, startUpload, type Upload } from './uploads.ts';

/** Files that do not fit are rejected with a message; the others begin to upload. */
export function useAddFiles(
  uploads: readonly Upload[],
  change: (change: { uploads: readonly Upload[] }) => void,
) {
  const [, redraw] = useState(0);
  // Files that are added in quick succession must not replace each other.
  const latestUploads = useRef(uploads);
  latestUploads.current = uploads;
  return useCallback(
    (files: readonly File[]) => {
      const uploads = [...latestUploads.current];
      for (const file of files) {
        const total = uploads.reduce((sum, one) => sum + one.file.size, file.size);
        const refusal =
          uploads.length >= limits.attachmentsPerMessage
            ? t('inbox.upload.many', { count: limits.attachmentsPerMessage })
            : total > limits.attachmentBytesPerMessage
              ? t('inbox.upload.total', { limit: bytes(limits.attachmentBytesPerMessage) })
              : refusalOf(file);
        if (refusal) toast.show(refusal);
        else uploads.push(startUpload(file, () => redraw((n) => n + 1)));
      }
      latestUploads.current = uploads;
      change({ uploads });
    },
    [change],
  );
}
