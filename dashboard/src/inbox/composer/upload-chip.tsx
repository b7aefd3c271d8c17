import { File as FileIcon, Mic, X } from 'lucide-react';
import { bytes } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import type { Upload } from './uploads.ts';

/** A file that is being uploaded: its name, progress and a remove button. */
export function UploadChip({ upload, onRemove }: { upload: Upload; onRemove?(): void }) {
  const { file, contentType, previewUrl, progress, error } = upload;
  const isPicture = contentType.startsWith('image/');
  return (
    <div
      className={cx(
        'relative flex h-12 w-52 items-center gap-2 overflow-hidden rounded-control border bg-surface pr-1.5 pl-1.5 text-ink',
        error === null ? 'border-line' : 'border-danger',
      )}
    >
      {isPicture ? (
        <img src={previewUrl} alt="" className="size-9 shrink-0 rounded object-cover" />
      ) : (
        <span className="flex size-9 shrink-0 items-center justify-center rounded bg-sunken text-muted">
          {contentType.startsWith('audio/') ? <Mic className="size-4" /> : <FileIcon className="size-4" />}
        </span>
      )}
      <span className="min-w-0 flex-1">
        <span title={file.name} className="block truncate font-medium">
          {file.name}
        </span>
        <span
          title={error ?? undefined}
          className={cx('block truncate text-sm', error === null ? 'text-muted' : 'text-danger')}
        >
          {error ?? bytes(file.size)}
        </span>
      </span>
      {onRemove && (
        <button
          type="button"
          aria-label={t('inbox.upload.remove', { name: file.name })}
          onClick={onRemove}
          className="flex size-6 shrink-0 items-center justify-center rounded-control text-faint hover:bg-hover hover:text-ink"
        >
          <X className="size-3.5" />
        </button>
      )}
      {progress < 1 && error === null && (
        <span
          role="progressbar"
          aria-label={t('inbox.upload.progress', { name: file.name })}
          aria-valuenow={Math.round(progress * 100)}
          aria-valuemin={0}
          aria-valuemax={100}
          className="absolute inset-x-0 bottom-0 h-0.5 bg-line"
        >
          <span
            style={{ width: `${progress * 100}%` }}
            className="block h-full bg-accent transition-[width]"
          />
        </span>
      )}
    </div>
  );
}
