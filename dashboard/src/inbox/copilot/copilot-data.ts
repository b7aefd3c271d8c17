/** The copilot: what it offers here, and what it is asked. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import type {
  CopilotAnswer,
  CopilotOutcome,
  CopilotRequest,
  CopilotSettings,
  CopilotTask,
} from '../../../../contract/copilot.ts';
import { api } from '../../data/api.ts';
import { ApiError } from '../../data/errors.ts';
import { postForEvents } from '../../data/event-stream.ts';
import { useMay } from '../../data/session.ts';

export const copilotQuery = queryOptions({
  queryKey: ['copilot'],
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
  throw new CopilotError('CUT_OFF', '');
}

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
