import { useEffect, useRef, useState } from 'preact/hooks';
import type { VisitorAttachment } from '../../contract/widget-protocol.ts';
import { addressOf, type FileAddress } from './api.ts';
import { icons } from './icons.tsx';
import { sizeOf, t } from './texts.ts';

export function Attachment({ token, file }: { token: string; file: VisitorAttachment }) {
  const [address, setAddress] = useState<FileAddress | null>(null);
  useEffect(() => {
    addressOf(token, file.fileKey).then(setAddress, () => setAddress(null));
  }, [token, file.fileKey]);
  const kind = file.contentType.split('/')[0];
  if (kind === 'image') {
    const { width, height } = address ?? {};
    return (
      <a class="picture" href={address?.downloadUrl} target="_blank" rel="noopener">
        {address && (
          <img
            src={address.thumbnailUrl ?? address.downloadUrl}
            alt={file.fileName}
            width={width}
            height={height}
          />
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

function Voice({ source }: { source: string | undefined }) {
  const audio = useRef<HTMLAudioElement>(null);
  const [isPlaying, setPlaying] = useState(false);
  const [at, setAt] = useState(0);
  const [length, setLength] = useState(0);
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
        onTimeUpdate={({ currentTarget }) => setAt(currentTarget.currentTime)}
        // A recording does not know its own length before it was read to its end.
        onDurationChange={({ currentTarget }) =>
          setLength(Number.isFinite(currentTarget.duration) ? currentTarget.duration : 0)
        }
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
