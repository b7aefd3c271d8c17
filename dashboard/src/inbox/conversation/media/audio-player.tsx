import { useQuery } from '@tanstack/react-query';
import { Pause, Play } from 'lucide-react';
import { useRef, useState } from 'react';
import type { Transcript } from '../../../../../contract/messaging/attachments.ts';
import { t } from '../../../texts/texts.ts';
import { cx } from '../../../ui/class-names.ts';
import { reasonInWords } from '../../data/reasons.ts';
import { barCount, waveformQuery } from './waveform-data.ts';

export interface AudioPlayerProps {
  fileKey: string;
  src: string | null;
  size: number;
  transcript: Transcript | null;
}

const speeds = [1, 1.5, 2];
const flat = Array.from({ length: barCount }, () => 0.12);

/** Only one recording is heard at a time. */
let playing: HTMLAudioElement | null = null;

export function AudioPlayer({ fileKey, src, size, transcript }: AudioPlayerProps) {
  const audio = useRef<HTMLAudioElement>(null);
  const [isPlaying, setIsPlaying] = useState(false);
  const [at, setAt] = useState(0);
  const [toldLength, setToldLength] = useState(0);
  const [speed, setSpeed] = useState(1);
  const { data: waveform } = useQuery(waveformQuery(fileKey, src, size));
  // Recordings made by a browser carry no length until they have been played.
  const length = toldLength || (waveform?.seconds ?? 0);
  const share = length > 0 ? at / length : 0;
  const toggle = () => {
    const element = audio.current;
    if (!element) return;
    if (!element.paused) return element.pause();
    playing?.pause();
    playing = element;
    element.playbackRate = speed;
    element.play().catch(() => setIsPlaying(false));
  };
  const seek = (to: number) => {
    if (audio.current && length > 0) audio.current.currentTime = to;
    setAt(to);
  };
  const faster = () => {
    const next = speeds[(speeds.indexOf(speed) + 1) % speeds.length]!;
    setSpeed(next);
    if (audio.current) audio.current.playbackRate = next;
  };
  return (
    <div className="w-80 max-w-full rounded-panel border border-line bg-surface text-ink">
      <div className="flex items-center gap-2.5 px-2.5 py-2">
        {/* biome-ignore lint/a11y/useMediaCaption: the transcript stands below */}
        <audio
          ref={audio}
          src={src ?? undefined}
          preload="metadata"
          onPlay={() => setIsPlaying(true)}
          onPause={() => setIsPlaying(false)}
          onEnded={() => setAt(0)}
          onTimeUpdate={(event) => setAt(event.currentTarget.currentTime)}
          onDurationChange={(event) => {
            const { duration } = event.currentTarget;
            if (Number.isFinite(duration)) setToldLength(duration);
          }}
        />
        <button
          type="button"
          aria-label={isPlaying ? t('inbox.audio.pause') : t('inbox.audio.play')}
          disabled={src === null}
          onClick={toggle}
          className="flex size-8 shrink-0 items-center justify-center rounded-full bg-accent text-on-accent hover:bg-accent-hover disabled:opacity-50"
        >
          {isPlaying ? (
            <Pause className="size-4 fill-current" />
          ) : (
            <Play className="ml-0.5 size-4 fill-current" />
          )}
        </button>
        <div className="relative flex h-8 min-w-0 flex-1 items-center gap-px">
          {(waveform?.bars ?? flat).map((height, index) => (
            <span
              // biome-ignore lint/suspicious/noArrayIndexKey: bars have no other name
              key={index}
              aria-hidden
              style={{ height: `${Math.max(10, height * 100)}%` }}
              className={cx(
                'min-w-px flex-1 rounded-full',
                index / barCount < share ? 'bg-accent' : 'bg-line-strong',
              )}
            />
          ))}
          <input
            type="range"
            aria-label={t('inbox.audio.seek')}
            aria-valuetext={clock(at)}
            min={0}
            max={length || 1}
            step={0.1}
            value={Math.min(at, length || 1)}
            onChange={(event) => seek(Number(event.target.value))}
            className="absolute inset-0 w-full cursor-pointer opacity-0"
          />
        </div>
        <span className="tabular w-8 shrink-0 text-right text-sm text-muted">
          {clock(isPlaying || at > 0 ? at : length)}
        </span>
        <button
          type="button"
          aria-label={t('inbox.audio.speed', { speed: `${speed}×` })}
          onClick={faster}
          className="tabular h-6 w-9 shrink-0 rounded-control border border-line text-sm font-medium text-muted hover:bg-hover"
        >
          {speed}×
        </button>
      </div>
      {transcript && (
        <p className="border-t border-line px-3 py-2 text-base break-words text-muted">
          {'text' in transcript ? (
            <>
              <span className="sr-only">{t('inbox.audio.transcript')}: </span>
              <span className="text-ink">“{transcript.text}”</span>
            </>
          ) : (
            t('inbox.audio.noTranscript', { reason: reasonInWords(transcript.error) })
          )}
        </p>
      )}
    </div>
  );
}

export function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}
