/** The loudness of a recording as bars from 0 to 1, and its length in seconds. */
import { queryOptions } from '@tanstack/react-query';

export const barCount = 40;
/** Longer recordings can be played but get no waveform: fetching them only for the picture is too expensive. */
const maxBytes = 4 * 1024 * 1024;

interface Waveform {
  bars: number[];
  seconds: number;
}

async function readWaveform(src: string, size: number): Promise<Waveform | null> {
  if (size > maxBytes) return null;
  try {
    const response = await fetch(src);
    if (!response.ok) return null;
    const context = new OfflineAudioContext(1, 1, 44_100);
    const sound = await context.decodeAudioData(await response.arrayBuffer());
    return { bars: barsOf(sound.getChannelData(0)), seconds: sound.duration };
  } catch {
    // A codec that this browser cannot decode: the bars stay flat.
    return null;
  }
}

export const waveformQuery = (fileKey: string, src: string | null, size: number) =>
  queryOptions({
    // The URL changes every hour, the recording never does.
    queryKey: ['waveform', fileKey],
    queryFn: () => readWaveform(src!, size),
    enabled: src !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });

function barsOf(samples: Float32Array, count = barCount): number[] {
  const each = Math.max(1, Math.floor(samples.length / count));
  const loudness = Array.from({ length: count }, (_, bar) => {
    let sum = 0;
    const end = Math.min(samples.length, (bar + 1) * each);
    for (let at = bar * each; at < end; at++) sum += samples[at]! ** 2;
    return Math.sqrt(sum / each);
  });
  const loudest = Math.max(...loudness, 0.001);
  return loudness.map((one) => one / loudest);
}
