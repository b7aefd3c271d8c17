import { useNavigate } from '@tanstack/react-router';
import { FileSpreadsheet, Upload } from 'lucide-react';
import { useCallback, useEffect, useId, useRef, useState } from 'react';
import type { Kanban } from '../../../contract/crm/kanbans.ts';
import { limits } from '../../../contract/limits.ts';
import { useFileDrop } from '../inbox/composer/use-file-drop.ts';
import { bytes } from '../texts/format.ts';
import { t } from '../texts/texts.ts';
import { cx } from '../ui/class-names.ts';
import { Button } from '../ui/controls/button.tsx';
import { ProgressBar } from '../ui/display/progress.tsx';
import { uploadImport } from './import-data.ts';
import { sayUploadError } from './import-reasons.ts';
import { StepFrame } from './import-steps.tsx';
import { PastImports } from './past-imports.tsx';

interface Sending {
  file: File;
  share: number;
}

export function ChooseFile({ board }: { board: Kanban }) {
  const navigate = useNavigate();
  const input = useRef<HTMLInputElement>(null);
  const hintId = useId();
  const [sending, setSending] = useState<Sending | null>(null);
  const [refusal, setRefusal] = useState('');
  const abort = useRef<AbortController>(null);
  useEffect(() => () => abort.current?.abort(), []);

  const choose = useCallback(
    async ([file]: File[]) => {
      if (!file) return;
      const wrong = await refusalOf(file);
      setRefusal(wrong ?? '');
      if (wrong !== null) return;
      const controller = new AbortController();
      abort.current = controller;
      setSending({ file, share: 0 });
      try {
        const onProgress = (share: number) => setSending({ file, share });
        const made = await uploadImport(board.id, file, onProgress, controller.signal);
        await navigate({
          to: '/boards/$boardId/import/$importId',
          params: { boardId: board.slug, importId: made.id },
        });
      } catch (error) {
        if ((error as Error).name !== 'AbortError')
          setRefusal(t('import.upload.failed', { reason: sayUploadError(error) }));
      } finally {
        setSending(null);
      }
    },
    [board.id, board.slug, navigate],
  );
  const isOver = useFileDrop(choose, sending === null);

  return (
    <StepFrame title={t('import.choose.title')} text={t('import.choose.text')}>
      <div
        className={cx(
          'flex min-h-44 flex-col items-center justify-center gap-2 rounded-panel border border-dashed px-6 py-8 text-center transition-colors',
          isOver ? 'border-accent bg-accent-soft' : 'border-line-strong bg-sunken',
        )}
      >
        {sending ? (
          <Uploading {...sending} onCancel={() => abort.current?.abort()} />
        ) : (
          <>
            <span className="flex size-9 items-center justify-center rounded-panel border border-line bg-surface text-muted">
              <FileSpreadsheet className="size-4" />
            </span>
            <p className="font-medium">{isOver ? t('import.choose.dropNow') : t('import.choose.drop')}</p>
            <Button
              tone="primary"
              aria-describedby={hintId}
              icon={<Upload className="size-3.5" />}
              onClick={() => input.current?.click()}
            >
              {t('import.choose.button')}
            </Button>
            <p id={hintId} className="max-w-md text-sm text-pretty text-muted">
              {t('import.choose.hint', { limit: bytes(limits.importFileBytes) })}
            </p>
          </>
        )}
        <input
          ref={input}
          type="file"
          accept=".csv,.txt,.tsv,text/csv,text/plain,text/tab-separated-values"
          tabIndex={-1}
          aria-label={t('import.choose.button')}
          className="hidden"
          onChange={(event) => {
            void choose([...(event.target.files ?? [])]);
            // Allows choosing the same file again after fixing it.
            event.target.value = '';
          }}
        />
      </div>
      {refusal && (
        <p role="alert" className="-mt-3 rounded-control bg-danger-soft px-3 py-2 text-danger">
          {refusal}
        </p>
      )}
      <PastImports board={board} />
    </StepFrame>
  );
}

function Uploading({ file, share, onCancel }: Sending & { onCancel(): void }) {
  // After the upload the service reads the file once: encoding, separator, columns, rows.
  const isReading = share >= 1;
  return (
    <div className="flex w-full max-w-sm flex-col gap-2">
      <p className="truncate font-medium" title={file.name}>
        {file.name} <span className="font-normal text-muted">{bytes(file.size)}</span>
      </p>
      <ProgressBar
        label={t('import.upload.progress', { name: file.name })}
        share={isReading ? null : share}
        valueText={isReading ? t('import.upload.reading') : undefined}
      />
      <div className="flex items-center justify-between">
        <span aria-live="polite" className="text-muted">
          {isReading ? t('import.upload.reading') : t('import.upload.sending')}
        </span>
        <Button size="small" onClick={onCancel}>
          {t('ui.cancel')}
        </Button>
      </div>
    </div>
  );
}

/** File signatures that the service would reject after the upload: ZIP (and so XLSX) and OLE; PDF, gzip, PNG, JPEG. */
const workbookStarts = ['504b0304', 'd0cf11e0'];
const otherStarts = ['25504446', '1f8b', '89504e47', 'ffd8ff'];

async function startOf(file: File): Promise<string> {
  try {
    const bytes = new Uint8Array(await file.slice(0, 4).arrayBuffer());
    return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  } catch {
    // Not readable here: the upload will report the problem.
    return '';
  }
}

async function refusalOf(file: File): Promise<string | null> {
  const start = await startOf(file);
  const begins = (one: string) => start.startsWith(one);
  if (/\.(xlsx?|xlsm|ods|numbers)$/i.test(file.name) || workbookStarts.some(begins))
    return t('import.refused.workbook', { name: file.name });
  if (otherStarts.some(begins)) return t('import.refused.kind', { name: file.name });
  if (file.size === 0) return t('import.refused.empty', { name: file.name });
  if (file.size > limits.importFileBytes) {
    return t('import.refused.large', {
      name: file.name,
      size: bytes(file.size),
      limit: bytes(limits.importFileBytes),
    });
  }
  return null;
}
