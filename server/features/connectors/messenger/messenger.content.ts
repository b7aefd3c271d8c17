/** What a message of Messenger or Instagram says: its text, its files, and a readable line for everything else. */
import type { InboundMedia } from '../connectors.provider.ts';
import { listOf, objectOf, textOf, type Values } from '../connectors.values.ts';

export interface Content {
  text: string;
  media: InboundMedia[];
  /** There is more in the message than text and files can say. */
  hasMore: boolean;
}

const labelled = (label: string, ...parts: (string | null)[]) => {
  const text = parts.filter((part) => part !== null).join(' ');
  return text === '' ? label : `${label}: ${text}`;
};

const mediaKinds: Record<string, InboundMedia['kind']> = {
  image: 'image',
  video: 'video',
  audio: 'audio',
  file: 'document',
};

export function contentOf(message: Values): Content {
  const attachments = listOf(message.attachments).map(objectOf);
  const media = attachments.flatMap((one) => mediaOf(one) ?? []);
  const others = attachments.filter((one) => mediaOf(one) === null);
  const written = textOf(message.text);
  const story = objectOf(objectOf(message.reply_to).story);
  const isStoryReply = Object.keys(story).length > 0;
  const lines = [
    isStoryReply ? labelled('Reply to your story', textOf(story.url)) : null,
    written,
    ...others.map((one) => lineOf(one, written ?? '')),
  ].filter((line) => line !== null);
  const hasMore = others.length > 0 || isStoryReply || message.quick_reply !== undefined;
  if (lines.length > 0 || media.length > 0) return { text: lines.join('\n'), media, hasMore };
  return { text: 'Unsupported message', media, hasMore: true };
}

/** Null: it is no file. */
function mediaOf({ type, payload }: Values): InboundMedia | null {
  const kind = typeof type === 'string' && Object.hasOwn(mediaKinds, type) ? mediaKinds[type]! : null;
  const ref = textOf(objectOf(payload).url);
  if (kind === null || ref === null) return null;
  return { ref, kind, mimeType: null, fileName: kind === 'document' ? nameIn(ref) : null, bytes: null };
}

/** The address of a file ends with its name. */
function nameIn(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const last = new URL(url).pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last) || null;
  } catch {
    return last || null;
  }
}

function location(payload: Values, title: string | null): string {
  const { lat, long } = objectOf(payload.coordinates);
  const isPoint = typeof lat === 'number' && typeof long === 'number';
  return labelled('Location', title, isPoint ? `(${lat}, ${long})` : null);
}

/** Null: the text of the message already says it. */
function lineOf({ type, payload: given, ...attachment }: Values, written: string): string | null {
  const payload = objectOf(given);
  const title = textOf(attachment.title) ?? textOf(payload.title);
  const url = textOf(payload.url) ?? textOf(attachment.url);
  switch (type) {
    case 'location':
      return location(payload, title);
    case 'fallback':
      return url !== null && written.includes(url) ? null : labelled('Shared link', title, url);
    case 'share':
    case 'post':
    case 'ig_post':
      return labelled('Shared post', title, url);
    case 'reel':
    case 'ig_reel':
      return labelled('Shared reel', title, url);
    case 'story_mention':
      return labelled('Mentioned you in a story', url);
    case 'template':
      return labelled('Message with buttons', title ?? textOf(payload.text));
    default:
      return labelled(`Unsupported attachment (${textOf(type) ?? 'unknown'})`, title, url);
  }
}
