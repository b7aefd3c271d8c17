/**
 * Pictures are shown as thumbnails. Without a thumbnail a picture is never loaded automatically: a small file may expand
 * to gigabytes of pixels and crash the browser.
 */
import { useQuery } from '@tanstack/react-query';
import { ExternalLink, Image as ImageIcon } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { DownloadAnswer } from '../../../../../contract/messaging/attachments.ts';
import type { MessageAttachment } from '../../../../../contract/messaging/messages.ts';
import { queryClient } from '../../../data/query-client.ts';
import { bytes, number } from '../../../texts/format.ts';
import { t } from '../../../texts/texts.ts';
import { cx } from '../../../ui/class-names.ts';
import { Skeleton } from '../../../ui/display/states.tsx';
import { fileQuery, fileRefreshMs } from '../../data/inbox-data.ts';

/** How often a new picture is polled, once a second, until the service has read it. */
const maxTries = 12;

export function usePicture(fileKey: string) {
  const options = fileQuery(fileKey);
  const isBeingRead = (data: DownloadAnswer | undefined, tries: number) =>
    data !== undefined && !data.thumbnailUrl && data.width === undefined && tries < maxTries;
  const query = useQuery({
    ...options,
    refetchInterval: ({ state: { data, dataUpdateCount } }) =>
      isBeingRead(data, dataUpdateCount) ? 1_000 : fileRefreshMs,
  });
  const tries = queryClient.getQueryState(options.queryKey)?.dataUpdateCount ?? 0;
  return { ...query, isWaiting: query.data === undefined || isBeingRead(query.data, tries) };
}

/** A box of fixed size, so that nothing jumps when the picture loads. */
export function Picture({
  file,
  small,
  onOpen,
  gone,
}: {
  file: MessageAttachment;
  small: boolean;
  onOpen(): void;
  gone: ReactNode;
}) {
  const { data, isError, isWaiting } = usePicture(file.fileKey);
  const [broken, setBroken] = useState(false);
  const size = small ? 'h-28 w-36' : 'h-48 w-64 max-w-full';
  if (isError || broken) return gone;
  const box = cx('overflow-hidden rounded-panel border border-line bg-sunken', size);
  if (isWaiting || !data) {
    return (
      <div className={box}>
        <Skeleton className="size-full" />
      </div>
    );
  }
  if (!data.thumbnailUrl) {
    return (
      <div className={cx(box, 'p-2 text-muted')}>
        <UnshownPicture file={file} data={data} small={small} />
      </div>
    );
  }
  return (
    <button
      type="button"
      aria-label={t('inbox.picture.open', { name: file.fileName })}
      onClick={onOpen}
      className={cx('cursor-zoom-in', box)}
    >
      <img
        src={data.thumbnailUrl}
        alt=""
        onError={() => setBroken(true)}
        className="size-full object-cover"
      />
    </button>
  );
}

/** Facts about a picture without a thumbnail, and a link to the original. */
export function UnshownPicture({
  file,
  data,
  small = false,
}: {
  file: MessageAttachment;
  data: DownloadAnswer;
  small?: boolean;
}) {
  const { width, height, downloadUrl } = data;
  return (
    <div className="flex size-full flex-col items-center justify-center gap-1 text-center">
      {!small && <ImageIcon aria-hidden className="size-5 shrink-0" />}
      <span title={file.fileName} className="max-w-full shrink-0 truncate font-medium">
        {file.fileName}
      </span>
      <span className="tabular flex flex-wrap justify-center gap-x-2 text-sm whitespace-nowrap">
        <span>{bytes(file.size)}</span>
        {width && height && (
          <span>{t('inbox.picture.size', { width: number(width), height: number(height) })}</span>
        )}
      </span>
      <a
        href={downloadUrl}
        target="_blank"
        rel="noreferrer noopener"
        className="flex items-center gap-1 text-sm text-accent-ink underline-offset-2 hover:underline"
      >
        {t('inbox.picture.original')}
        <ExternalLink aria-hidden className="size-3.5" />
      </a>
    </div>
  );
}
