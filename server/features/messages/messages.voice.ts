/** Audio work for a message, by its channel: conversion for chat apps, a transcript by the channel's setting. */
import type { Channel } from '../../../contract/channels.ts';
import type { ChannelType } from '../../../contract/limits.ts';
import type { MessageAttachment } from '../../../contract/messaging/messages.ts';
import type { FrozenEvent } from '../../platform/events/outbox.ts';
import { jobKind } from '../../platform/jobs/job-kinds.ts';
import { essenceOf, kindOf } from '../attachments/attachments.ts';
import type { NewMessage } from './messages.sql.ts';

export const convertJobKind = jobKind('voice-convert');
export const transcribeJobKind = jobKind('voice-transcribe');

/** The maximum wait of a reply: a late answer is better than one without the content. */
export const transcriptWaitMs = 5 * 60_000;

/** The longest that message_created waits for the converted audio. */
const conversionWaitMs = 30_000;

export interface VoiceWork {
  messageId: string;
  convert: boolean;
  transcribe: boolean;
  /** The message_created that waits for the conversion. */
  awaitedEventId?: string;
}

const chatApps: readonly ChannelType[] = ['chatapp', 'chatapp_byot', 'chatapp_no'];
const voiceTypes = ['audio/opus', 'audio/ogg'];

export function isAudio({ contentType }: MessageAttachment): boolean {
  return kindOf(contentType) === 'audio';
}

export function wantsTranscript(channel: Channel, attachment: MessageAttachment): boolean {
  const setting = channel.settings.transcribe ?? 'opus';
  if (setting === 'off' || !isAudio(attachment)) return false;
  return setting === 'all' || voiceTypes.includes(essenceOf(attachment.contentType));
}

/** Null: there is nothing to do. */
export function voiceWork(channel: Channel | undefined, message: NewMessage): VoiceWork | null {
  const sounds = (message.attachments ?? []).filter(isAudio);
  if (!channel || sounds.length === 0) return null;
  const convert = chatApps.includes(channel.type);
  const transcribe = sounds.some((sound) => wantsTranscript(channel, sound));
  return convert || transcribe ? { messageId: message.id, convert, transcribe } : null;
}

/** Makes message_created wait for the conversion, and tells the conversion which event waits. Changes both. */
export function awaitConversion(voice: VoiceWork | null, messageCreated: FrozenEvent): void {
  if (!voice?.convert) return;
  messageCreated.deliverAfterMs = conversionWaitMs;
  voice.awaitedEventId = messageCreated.id;
}
