import { useEffect, useRef, useState } from 'preact/hooks';
import type { VisitorAttachment } from '../../contract/widget/widget-protocol.ts';
import { addressOf, type FileAddress } from './api.ts';
import { icons } from './icons.tsx';
import { sizeOf, t } from './texts.ts';

export function Attachment({ token, file }: { token: string; file: VisitorAttachment }) {
  const kind = file.contentType.split('/')[0];
  const { address, isBeingRead } = useAddress(token, file.fileKey, kind === 'image');
  if (kind === 'image') {
    if (address && !address.thumbnailUrl && !isBeingRead) return <Unshown file={file} address={address} />;
    return (
      <a
        class="picture"
        href={address?.downloadUrl}
        target="_blank"
        rel="noopener"
        aria-label={address?.thumbnailUrl ? undefined : file.fileName}
      >
        {address?.thumbnailUrl && (
          <img src={address.thumbnailUrl} alt={file.fileName} width={address.width} height={address.height} />
        )}
      </a>
    );
  }
  if (kind === 'audio') return <Voice source={address?.downloadUrl} />;
  if (kind === 'video' && address) {
    // biome-ignore lint/a11y/useMediaCaption: there are none for what someone has just filmed
    return <video src={address.downloadUrl} controls preload="metadata" aria-label={file.fileName} />;
  }
  return (
    <a class="file" href={address?.downloadUrl} target="_blank" rel="noopener" download={file.fileName}>
      {icons.file}
      <span>
        <b>{file.fileName}</b>
        <small>{sizeOf(file.size)}</small>
      </span>
    </a>
  );
}

/** The service may still be reading a picture that was just sent: it is asked again until its size is known. */
const pausesMs = [500, 1_000, 2_000, 4_000, 8_000];

function useAddress(token: string, fileKey: string, isPicture: boolean) {
  const [address, setAddress] = useState<FileAddress | null>(null);
  const [tries, setTries] = useState(0);
  const isBeingRead =
    isPicture &&
    address !== null &&
    !address.thumbnailUrl &&
    address.width === undefined &&
    tries < pausesMs.length;
  useEffect(() => {
    // When asking again fails, the address that is known stays.
    addressOf(token, fileKey, tries > 0).then(setAddress, () => {});
  }, [token, fileKey, tries]);
  useEffect(() => {
    if (!isBeingRead) return;
    const timer = setTimeout(() => setTries(tries + 1), pausesMs[tries]);
    return () => clearTimeout(timer);
  }, [isBeingRead, tries]);
  return { address, isBeingRead };
}

/** A picture without a thumbnail is not loaded automatically: it may have more pixels than the browser can hold. */
function Unshown({ file, address }: { file: VisitorAttachment; address: FileAddress }) {
  const { width, height, downloadUrl } = address;
  const facts = [sizeOf(file.size), width && height && `${width} × ${height} px`].filter(Boolean).join(' · ');
  return (
    <a class="file" href={downloadUrl} target="_blank" rel="noopener">
      {icons.file}
      <span>
        <b>{file.fileName}</b>
        <small>{facts}</small>
        <small class="original">{t('openOriginal')}</small>
      </span>
    </a>
  );
}

function Voice({ source }: { source: string | undefined }) {
  const audio = useRef<HTMLAudioElement>(null);
  const [isPlaying, setPlaying] = useState(false);
  const [at, setAt] = useState(0);
  const [length, setLength] = useState(0);
  const isMeasuring = useRef(false);
  const toggle = () => (isPlaying ? audio.current?.pause() : void audio.current?.play().catch(() => {}));
  return (
    <fieldset class="voice" aria-label={t('voice')}>
      {/* biome-ignore lint/a11y/useMediaCaption: a transcript, where there is one, is the team's */}
      <audio
        ref={audio}
        src={source}
        preload="metadata"
        onPlay={() => setPlaying(true)}
        onPause={() => setPlaying(false)}
        onTimeUpdate={({ currentTarget }) => {
          if (!isMeasuring.current) setAt(currentTarget.currentTime);
        }}
        // A browser's recording does not say how long it is: its end is looked for.
        onLoadedMetadata={({ currentTarget }) => {
          if (currentTarget.duration !== Number.POSITIVE_INFINITY) return;
          isMeasuring.current = true;
          currentTarget.currentTime = Number.MAX_SAFE_INTEGER;
        }}
        onDurationChange={({ currentTarget }) => {
          if (!Number.isFinite(currentTarget.duration)) return setLength(0);
          setLength(currentTarget.duration);
          if (isMeasuring.current) currentTarget.currentTime = 0;
        }}
        onSeeked={({ currentTarget }) => {
          if (currentTarget.currentTime === 0) isMeasuring.current = false;
        }}
        onEnded={() => setAt(0)}
      />
      <button type="button" class="round" onClick={toggle} aria-label={t(isPlaying ? 'pause' : 'play')}>
        {isPlaying ? icons.pause : icons.play}
      </button>
      <progress max={length || 1} value={length ? at : 0} aria-hidden="true" />
      <time>{clock(isPlaying || at > 0 ? at : length)}</time>
    </fieldset>
  );
}

export function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
