/** Templates of a channel, sending one, and where its values last came from. */
import { queryOptions } from '@tanstack/react-query';
import type { ConnectorKind } from '../../../../../contract/connectors.ts';
import type { Template, TemplateSend } from '../../../../../contract/messaging/templates.ts';
import { api, apiAll } from '../../../data/api.ts';

export const templatesQuery = (channelId: string) =>
  queryOptions({
    queryKey: ['templates', channelId],
    queryFn: ({ signal }) =>
      apiAll<Template>(`/channels/${encodeURIComponent(channelId)}/templates`, {}, signal),
    staleTime: 60_000,
  });

const kindsWithTemplates: readonly ConnectorKind[] = ['whatsapp_cloud'];
export const hasTemplates = (kind: ConnectorKind) => kindsWithTemplates.includes(kind);

export const isSendable = ({ status, unsupported }: Template) =>
  status === 'APPROVED' && unsupported === undefined;

export const sendTemplate = (sessionId: string, body: TemplateSend, idempotencyKey: string) =>
  api('POST', `/sessions/${encodeURIComponent(sessionId)}/template`, { body, idempotencyKey });

/** The text with the values in it. A value that is missing stays visible as `{{1}}`. */
export const fillTemplate = (text: string, values: readonly string[]): string =>
  text.replace(/\{\{(\d+)\}\}/g, (whole, number) => values[Number(number) - 1]?.trim() || whole);

/** By a part of the name or of the text; every word must be there. */
export function findTemplates(templates: readonly Template[], wanted: string): Template[] {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  return templates.filter((template) => {
    const text = `${template.name.replaceAll('_', ' ')} ${template.name} ${template.text}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
