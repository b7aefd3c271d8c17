/** The page around the frame, which remembers what the frame may not, and has the microphone. */
import type { WidgetLanguage } from '../../contract/widget/widget-protocol.ts';

export type FromHost =
  | {
      type: 'begin';
      queue?: unknown;
      draft?: string;
      done?: object;
      language: WidgetLanguage;
      isOpen: boolean;
    }
  | { type: 'session'; token: string; isKnown: boolean; name: string | null; email: string | null }
  | { type: 'unreachable' }
  | { type: 'open' }
  | { type: 'close' }
  | { type: 'recording' }
  | { type: 'recorded'; blob: Blob }
  | { type: 'no-microphone' };

export type ToHost =
  | { type: 'ready' }
  /** The token does not hold, or there was none: another try. */
  | { type: 'start' }
  | { type: 'close' }
  | { type: 'keep'; queue?: unknown; draft?: string; done?: object; token?: string }
  | { type: 'unread'; count: number }
  | { type: 'record' }
  | { type: 'stop' };

/** To the page that shows the frame. The frame's own policy says which pages may. */
export function tellHost(message: ToHost): void {
  parent.postMessage({ talkboard: message }, '*');
}

export function hearHost(hear: (message: FromHost) => void): void {
  addEventListener('message', ({ source, data }) => {
    if (source === parent && data?.talkboard) hear(data.talkboard as FromHost);
  });
}
