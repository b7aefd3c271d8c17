/** Where files are chosen or dropped, and how far each one is. */
import { FileUp, X } from 'lucide-react';
import { useId, useRef } from 'react';
import { limits } from '../../../../contract/limits.ts';
import { useFileDrop } from '../../inbox/composer/use-file-drop.ts';
import { bytes } from '../../texts/format.ts';
import { t } from '../../texts/texts.ts';
import { cx } from '../../ui/class-names.ts';
import { Button, IconButton } from '../../ui/controls/button.tsx';
import { ProgressBar } from '../../ui/display/progress.tsx';
import { acceptedFiles, type FileUpload, useUploads } from './upload-files.ts';

export function FileDrop({ sourceId }: { sourceId: string }) {
  const input = useRef<HTMLInputElement>(null);
  const hintId = useId();
  const { uploads, add, dismiss } = useUploads(sourceId);
  const isOver = useFileDrop(add, true);
  return (
    <div className="flex flex-col gap-2">
      <div
        className={cx(
          'flex flex-wrap items-center justify-center gap-x-3 gap-y-2 rounded-panel border border-dashed px-4 py-4 text-center transition-colors',
          isOver ? 'border-accent bg-accent-soft' : 'border-line-strong bg-sunken',
        )}
      >
        <Button
          tone="primary"
          aria-describedby={hintId}
          icon={<FileUp className="size-3.5" />}
          onClick={() => input.current?.click()}
        >
          {t('knowledge.upload.choose')}
        </Button>
        <p id={hintId} className="text-pretty text-muted">
          {isOver
            ? t('knowledge.upload.dropNow')
            : t('knowledge.upload.hint', { limit: bytes(limits.knowledgeFileBytes) })}
        </p>
        <input
          ref={input}
          type="file"
          multiple
          accept={acceptedFiles}
          tabIndex={-1}
          aria-label={t('knowledge.upload.choose')}
          className="hidden"
          onChange={(event) => {
            void add([...(event.target.files ?? [])]);
            // Allows choosing the same file again.
            event.target.value = '';
          }}
        />
      </div>
      {uploads.length > 0 && (
        <ul aria-label={t('knowledge.upload.list')} className="flex flex-col gap-2">
          {uploads.map((upload) => (
            <UploadRow key={upload.id} upload={upload} onDismiss={() => dismiss(upload.id)} />
          ))}
        </ul>
      )}
    </div>
  );
}

function UploadRow({
  upload: { name, size, share, problem },
  onDismiss,
}: {
  upload: FileUpload;
  onDismiss(): void;
}) {
  return (
    <li className="flex items-center gap-3 rounded-panel border border-line px-3 py-2">
      <div className="min-w-0 flex-1">
        <p className="truncate" title={name}>
          <span className="font-medium">{name}</span> <span className="text-muted">{bytes(size)}</span>
        </p>
        {problem ? (
          <p role="alert" className="text-danger">
            {problem}
          </p>
        ) : (
          <ProgressBar label={t('knowledge.upload.progress', { name })} share={share} className="mt-1" />
        )}
      </div>
      <IconButton
        label={problem ? t('knowledge.upload.dismiss', { name }) : t('knowledge.upload.cancel', { name })}
        onClick={onDismiss}
      >
        <X className="size-4" />
      </IconButton>
    </li>
  );
}
