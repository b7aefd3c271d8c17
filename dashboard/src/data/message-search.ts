import type { MessageSearchAnswer, MessageSearchQuery } from '../../../contract/messaging/message-search.ts';
import { api } from './api.ts';

/** For the inbox and the palette. */
export const findMessages = (query: MessageSearchQuery, signal: AbortSignal) =>
  api<MessageSearchAnswer>('GET', '/messages/search', { query: { ...query }, signal });
