/** The copilot: what it offers here, and what it is asked. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import type {
  CopilotAnswer,
  CopilotOutcome,
  CopilotRequest,
  CopilotSettings,
  CopilotTask,
} from '../../../../contract/copilot.ts';
import { limits } from '../../../../contract/limits.ts';
import type { Message } from '../../../../contract/messaging/messages.ts';
import { api } from '../../data/api.ts';
import { ApiError } from '../../data/errors.ts';
import { postForEvents } from '../../data/event-stream.ts';
import { useMay } from '../../data/session.ts';
import { sendTogether } from '../../data/store/send-together.ts';
import { language } from '../../texts/texts.ts';

export const copilotQuery = queryOptions({
  queryKey: ['copilot', 'settings'],
  queryFn: ({ signal }) => api<CopilotSettings>('GET', '/copilot/settings', { signal }),
  staleTime: 5 * 60_000,
});

/** What this person can ask of it. Nothing: it is off, or still being read. */
export function useCopilotTasks(): readonly CopilotTask[] {
  const mayView = useMay('conversations.view');
  const mayReply = useMay('conversations.reply');
  const { data: settings } = useQuery({ ...copilotQuery, enabled: mayView });
  const available = settings?.available ?? [];
  return mayReply ? available : available.filter((task) => task !== 'suggest' && task !== 'rewrite');
}

/** In the reader's language. What has been made for the newest message is not made again. */
export const summaryQuery = (sessionId: string) =>
  queryOptions({
    queryKey: ['copilot', 'summary', sessionId, language()],
    queryFn: ({ signal }) => askCopilot(sessionId, { task: 'summarize', language: language() }, signal),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

/** Of a message in the reader's language. An edited message is another text. */
export const translationQuery = (sessionId: string, { id, content }: Message) =>
  queryOptions({
    queryKey: ['copilot', 'translation', sessionId, id, language(), content],
    queryFn: () => translatorOf(sessionId, language())(id),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

const translators = new Map<string, (messageId: string) => Promise<string>>();

/** The messages of a chat that is opened share a request. */
function translatorOf(sessionId: string, language: string) {
  const key = `${language} ${sessionId}`;
  const made =
    translators.get(key) ??
    sendTogether<string, string>(limits.copilot.messages, async (messageIds) => {
      const request = { task: 'translate', messageIds: [...messageIds], language } satisfies CopilotRequest;
      const { translations } = await askCopilot(sessionId, request, new AbortController().signal);
      const texts = new Map(translations?.map(({ messageId, text }) => [messageId, text]));
      return messageIds.map((id) => texts.get(id) ?? cutOff());
    });
  translators.set(key, made);
  return made;
}

const pathOf = (sessionId: string) => `/sessions/${encodeURIComponent(sessionId)}/copilot`;

/** `onText` receives all that has arrived so far. */
export async function askCopilot(
  sessionId: string,
  request: CopilotRequest,
  signal: AbortSignal,
  onText: (text: string) => void = () => {},
): Promise<CopilotAnswer> {
  let text = '';
  for await (const { name, data } of postForEvents(pathOf(sessionId), request, signal)) {
    if (name === 'delta') {
      text += (data as { text: string }).text;
      onText(text);
    } else if (name === 'done') return data as CopilotAnswer;
    else if (name === 'error') {
      const { code, message } = data as { code: string; message: string };
      throw new CopilotError(code, message);
    }
  }
  throw cutOff();
}

const cutOff = () => new CopilotError('CUT_OFF', '');

/** Of a stream that had begun; an error before that is an error response. */
class CopilotError extends ApiError {
  constructor(code: string, message: string) {
    super(200, code, message, '');
  }
}

/** Nothing depends on it: it is counted only. */
export const reportOutcome = (sessionId: string, suggestionId: string, outcome: CopilotOutcome['outcome']) =>
  api('POST', `${pathOf(sessionId)}/${suggestionId}/outcome`, { body: { outcome }, keepalive: true }).catch(
    () => {},
  );
