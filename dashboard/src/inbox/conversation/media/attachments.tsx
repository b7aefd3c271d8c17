import { useQuery } from '@tanstack/react-query';
import { Download, File as FileIcon, FileSpreadsheet, FileText, ImageOff } from 'lucide-react';
import type { MessageAttachment } from '../../../../../contract/messaging/messages.ts';
import { bytes } from '../../../texts/format.ts';
import { t } from '../../../texts/texts.ts';
import { cx } from '../../../ui/class-names.ts';
import { kindOfType } from '../../composer/uploads.ts';
import { fileQuery } from '../../data/inbox-data.ts';
import { AudioPlayer } from './audio-player.tsx';
import type { ShownPicture } from './lightbox.tsx';
import { Picture } from './picture.tsx';

export interface AttachmentsProps {
  files: MessageAttachment[];
  align: 'start' | 'end';
  onPicture(picture: ShownPicture): void;
}

export function Attachments({ files, align, onPicture }: AttachmentsProps) {
  const gone = files.filter(({ removedAt }) => removedAt !== undefined);
  const kept = files.filter(({ removedAt }) => removedAt === undefined);
  const pictures = kept.filter((file) => kindOfType(file.contentType) === 'image');
  const others = kept.filter((file) => kindOfType(file.contentType) !== 'image');
  return (
    <div
      className={cx('flex max-w-full min-w-0 flex-col gap-1', align === 'end' ? 'items-end' : 'items-start')}
    >
      {pictures.length > 0 && (
        <div className={cx('grid gap-1', pictures.length > 1 && 'grid-cols-2')}>
          {pictures.map((file, index) => (
            <Picture
              key={file.fileKey}
              file={file}
              small={pictures.length > 1}
              onOpen={() => onPicture({ files: pictures, index })}
              gone={<GoneFile file={file} />}
            />
          ))}
        </div>
      )}
      {others.map((file) => {
        const kind = kindOfType(file.contentType);
        if (kind === 'audio') return <AudioFile key={file.fileKey} file={file} />;
        if (kind === 'video') return <VideoFile key={file.fileKey} file={file} />;
        return <OtherFile key={file.fileKey} file={file} />;
      })}
      {gone.map((file) => (
        <GoneFile key={file.fileKey} file={file} />
      ))}
    </div>
  );
}

function AudioFile({ file }: { file: MessageAttachment }) {
  const query = useQuery(fileQuery(file.fileKey));
  if (query.isError) return <GoneFile file={file} />;
  return (
    <AudioPlayer
      fileKey={file.fileKey}
      src={query.data?.downloadUrl ?? null}
      size={file.size}
      transcript={file.transcript ?? null}
    />
  );
}

function VideoFile({ file }: { file: MessageAttachment }) {
  const query = useQuery(fileQuery(file.fileKey));
  if (query.isError) return <GoneFile file={file} />;
  return (
    // biome-ignore lint/a11y/useMediaCaption: what customers send has no captions
    <video
      controls
      preload="metadata"
      src={query.data?.downloadUrl}
      aria-label={file.fileName}
      className="h-48 w-80 max-w-full rounded-panel border border-line bg-black"
    />
  );
}

function iconOf(contentType: string) {
  if (/spreadsheet|excel|csv/.test(contentType)) return FileSpreadsheet;
  return /pdf|word|text|presentation|powerpoint/.test(contentType) ? FileText : FileIcon;
}

function OtherFile({ file }: { file: MessageAttachment }) {
  const query = useQuery(fileQuery(file.fileKey));
  if (query.isError) return <GoneFile file={file} />;
  const Icon = iconOf(file.contentType);
  return (
    <a
      href={query.data?.downloadUrl}
      download={file.fileName}
      target="_blank"
      rel="noreferrer noopener"
      className="flex w-72 max-w-full cursor-pointer items-center gap-2.5 rounded-panel border border-line bg-surface px-3 py-2 hover:bg-hover"
    >
      <Icon aria-hidden className="size-5 shrink-0 text-muted" />
      <span className="min-w-0 flex-1">
        <span className="sr-only">{t('inbox.download.do')}</span>
        <span title={file.fileName} className="block truncate font-medium">
          {file.fileName}
        </span>
        <span className="block text-sm text-muted">{bytes(file.size)}</span>
      </span>
      <Download aria-hidden className="size-4 shrink-0 text-faint" />
    </a>
  );
}

function GoneFile({ file }: { file: MessageAttachment }) {
  return (
    <div className="flex w-72 max-w-full items-center gap-2.5 rounded-panel border border-dashed border-line-strong px-3 py-2 text-muted">
      <ImageOff aria-hidden className="size-4 shrink-0" />
      <span className="min-w-0">
        <span title={file.fileName} className="block truncate">
          {file.fileName}
        </span>
        <span className="block text-sm">{t('inbox.file.gone')}</span>
      </span>
    </div>
  );
}
