/** A provider for tests of sending: it records what it gets and answers as the test wants. */
import type {
  Link,
  OutboundPart,
  Provider,
  SentPart,
} from '../../../server/features/connectors/connectors.provider.ts';
import { ProviderError } from '../../../server/features/connectors/connectors.provider.ts';
import { scriptedProvider } from './scripted-provider.ts';

export interface Sending {
  provider: Provider;
  /** In the order of the calls. */
  parts: (OutboundPart & { at: number })[];
  others: string[];
  /** Runs inside each send; throws to fail it. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most tests return nothing
  onSend: (part: OutboundPart, count: number, link: Link) => Promise<SentPart | undefined | void>;
  texts(customerId?: string): string[];
}

export function sendingProvider(limits: Partial<Provider['limits']> = {}): Sending {
  const { provider, ...scripted } = scriptedProvider();
  const calls = new Map<string, number>();
  const sending: Sending = {
    parts: [],
    others: [],
    onSend: async () => {},
    texts: (customerId) =>
      sending.parts
        .filter(({ to }) => customerId === undefined || to.customerId === customerId)
        .map(({ text }) => text),
    provider: {
      ...provider,
      limits: {
        ...provider.limits,
        inboundBytes: 1024 * 1024,
        perSecond: 1_000,
        perCustomerSecond: null,
        ...limits,
      },
      async send(link, part) {
        if (link.credentials.botToken !== scripted.validToken) {
          throw new ProviderError('credentials', `Unauthorized: ${link.credentials.botToken}`);
        }
        const count = (calls.get(part.id) ?? 0) + 1;
        calls.set(part.id, count);
        const answer = await sending.onSend(part, count, link);
        sending.parts.push({ ...part, at: Date.now() });
        return answer ?? { providerMsgId: `p-${part.id}`, status: null };
      },
      async react(_link, to, providerMsgId, isOurs, emoji) {
        sending.others.push(`react ${to.customerId} ${providerMsgId} ${isOurs} ${emoji}`);
      },
      async typing(_link, to) {
        sending.others.push(`typing ${to.customerId}`);
      },
      async markRead(_link, to, providerMsgId) {
        sending.others.push(`read ${to.customerId} ${providerMsgId}`);
      },
    },
  };
  return sending;
}
