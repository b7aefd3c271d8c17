import { ChevronLeft, ChevronRight, Download, X } from 'lucide-react';
import { Dialog } from 'radix-ui';
import { type KeyboardEvent, useState } from 'react';
import type { MessageAttachment } from '../../../../../contract/messaging/messages.ts';
import { t } from '../../../texts/texts.ts';
import { Spinner } from '../../../ui/controls/button.tsx';
import { UnshownPicture, usePicture } from './picture.tsx';

export interface ShownPicture {
  files: MessageAttachment[];
  index: number;
}

const control =
  'flex size-9 items-center justify-center rounded-control bg-black/40 text-white hover:bg-black/70 focus-visible:outline-white';

/** The whole picture over everything; arrows go to its neighbours, a click beside it closes. */
export function Lightbox({ picture, onClose }: { picture: ShownPicture; onClose(): void }) {
  const [index, setIndex] = useState(picture.index);
  const file = picture.files[index]!;
  const { data, isWaiting } = usePicture(file.fileKey);
  const step = (by: number) => setIndex((index + by + picture.files.length) % picture.files.length);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowRight') step(1);
    if (event.key === 'ArrowLeft') step(-1);
  };
  const several = picture.files.length > 1;
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fade-in fixed inset-0 z-50 bg-black/85" />
        <Dialog.Content
          aria-describedby={undefined}
          onKeyDown={onKeyDown}
          className="fade-in fixed inset-0 z-50 flex flex-col outline-none"
        >
          <header className="flex h-14 shrink-0 items-center gap-2 px-4 text-white">
            <Dialog.Title className="min-w-0 flex-1 truncate font-medium">{file.fileName}</Dialog.Title>
            <a
              href={data?.downloadUrl}
              download={file.fileName}
              target="_blank"
              rel="noreferrer noopener"
              aria-label={t('inbox.download', { name: file.fileName })}
              className={control}
            >
              <Download className="size-4" />
            </a>
            <Dialog.Close aria-label={t('ui.close')} className={control}>
              <X className="size-4" />
            </Dialog.Close>
          </header>
          {/* biome-ignore lint/a11y/useKeyWithClickEvents: Esc and the button do the same */}
          {/* biome-ignore lint/a11y/noStaticElementInteractions: the space beside the picture */}
          <div
            className="flex min-h-0 flex-1 items-center justify-center px-4 pb-4"
            onClick={(event) => event.target === event.currentTarget && onClose()}
          >
            {!data || isWaiting ? (
              <Spinner className="size-6 text-white" />
            ) : !data.thumbnailUrl ? (
              <div className="rounded-panel bg-surface p-6 text-muted">
                <UnshownPicture file={file} data={data} />
              </div>
            ) : (
              <img
                src={data.downloadUrl}
                alt={t('inbox.picture', { name: file.fileName })}
                className="max-h-full max-w-full object-contain"
              />
            )}
          </div>
          {several && (
            <>
              <button
                type="button"
                aria-label={t('inbox.picture.previous')}
                onClick={() => step(-1)}
                className={`${control} absolute top-1/2 left-4`}
              >
                <ChevronLeft className="size-5" />
              </button>
              <button
                type="button"
                aria-label={t('inbox.picture.next')}
                onClick={() => step(1)}
                className={`${control} absolute top-1/2 right-4`}
              >
                <ChevronRight className="size-5" />
              </button>
            </>
          )}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
