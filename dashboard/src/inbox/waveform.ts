/** The loudness of a recording in so many bars, from 0 to 1. */
export const barCount = 40;
/** Longer ones are played all the same; fetching them only for a picture is not worth it. */
const mostBytes = 4 * 1024 * 1024;

export async function readWaveform(src: string, size: number): Promise<number[] | null> {
  if (size > mostBytes) return null;
  try {
    const response = await fetch(src);
    if (!response.ok) return null;
    const context = new OfflineAudioContext(1, 1, 44_100);
    const sound = await context.decodeAudioData(await response.arrayBuffer());
    return barsOf(sound.getChannelData(0));
  } catch {
    // A coding that this browser cannot read: the bars stay flat.
    return null;
  }
}

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
