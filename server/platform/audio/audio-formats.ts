/** Which container a declared type may be, and the arguments of ffmpeg. Both engines get the same arguments. */

/** The demuxer is forced, never probed: a playlist that calls itself an MP3 is then just a broken MP3. */
const demuxers: { [contentType: string]: string } = {
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/ogg': 'ogg',
  'audio/opus': 'ogg',
  'audio/mp4': 'mov',
  'audio/x-m4a': 'mov',
  'audio/webm': 'matroska',
  'audio/aac': 'aac',
  'audio/amr': 'amr',
};

const decoders = [
  'aac,alac,amrnb,amrwb,libopencore_amrnb,libopencore_amrwb,flac,mp1,mp1float,mp2,mp2float,mp3,mp3float',
  'opus,libopus,vorbis,libvorbis,gsm_ms,adpcm_ms,adpcm_ima_wav,pcm_alaw,pcm_mulaw,pcm_u8,pcm_s16le,pcm_s24le',
  'pcm_s32le,pcm_f32le,pcm_f64le',
].join(',');

export const convertedType = 'audio/ogg; codecs=opus';
/** The limit of audio uploads. At 32 kbit/s that is 105 minutes. */
export const maxConvertedBytes = 25 * 1024 * 1024;
export const samplesPerSecond = 16_000;

function baseType(contentType: string): string {
  return contentType.split(';')[0]!.trim().toLowerCase();
}

export interface AudioFile {
  path: string;
  contentType: string;
}

function readingArguments({ path, contentType }: AudioFile): string[] {
  const demuxer = demuxers[baseType(contentType)];
  if (!demuxer) throw new Error(`${contentType} is not an audio type that can be converted`);
  return [
    ...['-nostdin', '-hide_banner', '-loglevel', 'error', '-y', '-threads', '1'],
    ...['-protocol_whitelist', 'file', '-format_whitelist', demuxer, '-codec_whitelist', decoders],
    ...['-f', demuxer, '-i', path, '-vn', '-sn', '-dn', '-map', '0:a:0'],
  ];
}

/** Drops metadata: phones write locations and names into it. `async=1` fills the silence frames of AMR. */
export function opusArguments(input: AudioFile, output: string): string[] {
  return [
    ...readingArguments(input),
    ...['-map_metadata', '-1', '-map_chapters', '-1', '-af', 'aresample=48000:async=1:first_pts=0'],
    ...['-ac', '1', '-c:a', 'libopus', '-b:a', '32k', '-application', 'voip'],
    ...['-bitexact', '-fs', String(maxConvertedBytes), '-f', 'ogg', output],
  ];
}

/** The input of a recogniser: 16-bit samples, one channel. */
export function samplesArguments(input: AudioFile, output: string, seconds: number): string[] {
  return [
    ...readingArguments(input),
    ...['-af', `aresample=${samplesPerSecond}:async=1:first_pts=0`, '-ac', '1', '-t', String(seconds)],
    ...['-c:a', 'pcm_s16le', '-f', 's16le', output],
  ];
}
