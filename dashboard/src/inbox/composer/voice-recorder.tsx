import { Check, Mic, Trash2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { t } from '../../texts/texts.ts';
import { IconButton } from '../../ui/controls/button.tsx';
import { toast } from '../../ui/overlays/toast.tsx';
import { clock } from '../conversation/media/audio-player.tsx';
import { essenceOf } from './uploads.ts';

/** Browsers differ in what they can record. */
const codings = ['audio/webm;codecs=opus', 'audio/ogg;codecs=opus', 'audio/mp4'];
const shownBars = 24;

interface Recording {
  recorder: MediaRecorder;
  stream: MediaStream;
  analyser: AnalyserNode;
  context: AudioContext;
  chunks: Blob[];
  startedAt: number;
}

export function VoiceRecorder({ onRecorded }: { onRecorded(file: File): void }) {
  const [recording, setRecording] = useState<Recording | null>(null);
  const current = useRef<Recording | null>(null);
  current.current = recording;
  useEffect(() => () => stop(current.current), []);

  const begin = async () => {
    if (!navigator.mediaDevices) {
      // Missing on plain http pages, where no permission could help.
      toast.show(t('inbox.record.insecure'));
      return;
    }
    try {
      const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
      const mimeType = codings.find((coding) => MediaRecorder.isTypeSupported(coding));
      const recorder = new MediaRecorder(stream, mimeType ? { mimeType } : {});
      const context = new AudioContext();
      const analyser = context.createAnalyser();
      analyser.fftSize = 256;
      context.createMediaStreamSource(stream).connect(analyser);
      const chunks: Blob[] = [];
      recorder.ondataavailable = (event) => event.data.size > 0 && chunks.push(event.data);
      recorder.start(250);
      setRecording({ recorder, stream, analyser, context, chunks, startedAt: Date.now() });
    } catch {
      toast.show(t('inbox.record.refused'));
    }
  };
  const end = (keep: boolean) => {
    if (!recording) return;
    setRecording(null);
    const { recorder, chunks } = recording;
    recorder.onstop = () => {
      if (!keep) return;
      const type = essenceOf(recorder.mimeType);
      const name = `voice-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}.${type.split('/')[1]}`;
      onRecorded(new File(chunks, name, { type }));
    };
    stop(recording);
  };

  if (!recording) {
    return (
      <IconButton label={t('inbox.compose.record')} onClick={() => void begin()}>
        <Mic className="size-4" />
      </IconButton>
    );
  }
  return (
    <span className="flex h-7 items-center gap-1 rounded-control bg-danger-soft pl-2">
      <span aria-hidden className="size-2 animate-pulse rounded-full bg-danger" />
      <Levels recording={recording} />
      <IconButton label={t('inbox.record.cancel')} onClick={() => end(false)}>
        <Trash2 className="size-4" />
      </IconButton>
      <IconButton label={t('inbox.record.attach')} onClick={() => end(true)}>
        <Check className="size-4" />
      </IconButton>
    </span>
  );
}

/** How loud it is, running, and how long it has been. */
function Levels({ recording: { analyser, startedAt } }: { recording: Recording }) {
  const [levels, setLevels] = useState<number[]>(() => Array.from({ length: shownBars }, () => 0));
  useEffect(() => {
    const samples = new Uint8Array(analyser.fftSize);
    const timer = setInterval(() => {
      analyser.getByteTimeDomainData(samples);
      const loudest = samples.reduce((most, sample) => Math.max(most, Math.abs(sample - 128)), 0) / 128;
      setLevels((before) => [...before.slice(1), loudest]);
    }, 80);
    return () => clearInterval(timer);
  }, [analyser]);
  const time = clock((Date.now() - startedAt) / 1000);
  return (
    <span role="timer" aria-label={t('inbox.record.recording', { time })} className="flex items-center gap-2">
      <span aria-hidden className="flex h-5 w-24 items-center gap-px max-sm:w-12 max-sm:overflow-hidden">
        {levels.map((level, index) => (
          <span
            // biome-ignore lint/suspicious/noArrayIndexKey: bars have no other name
            key={index}
            style={{ height: `${Math.max(10, level * 100)}%` }}
            className="min-w-px flex-1 rounded-full bg-danger"
          />
        ))}
      </span>
      <span className="tabular w-8 text-sm text-danger">{time}</span>
    </span>
  );
}

function stop(recording: Recording | null): void {
  if (!recording) return;
  if (recording.recorder.state !== 'inactive') recording.recorder.stop();
  for (const track of recording.stream.getTracks()) track.stop();
  void recording.context.close();
}
