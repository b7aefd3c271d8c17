/** Macros as the service has them, and what the dialogs ask of it. */
import { queryOptions } from '@tanstack/react-query';
import type { Macro, MacroPreview, MacroRun, MacroRunBody } from '../../../contract/macros.ts';
import { api, apiAll } from '../data/api.ts';
import { language } from '../texts/texts.ts';

export const macrosQuery = queryOptions({
  queryKey: ['macros'],
  queryFn: ({ signal }) => apiAll<Macro>('/macros', {}, signal),
});

/** Numbers and dates in a reply are written as this person reads them. */
const reader = () => ({
  language: language(),
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
});

const pathOf = (macroId: string, sessionId: string) =>
  `/sessions/${encodeURIComponent(sessionId)}/macros/${macroId}`;

export const previewMacro = (macroId: string, sessionId: string, signal?: AbortSignal) =>
  api<MacroPreview>('POST', `${pathOf(macroId, sessionId)}/preview`, { body: reader(), signal });

/** Asked anew each time the dialog opens, and not again while its texts are being changed. */
export const previewQuery = (macroId: string, sessionId: string) =>
  queryOptions({
    queryKey: ['macro-preview', macroId, sessionId],
    queryFn: ({ signal }) => previewMacro(macroId, sessionId, signal),
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });

export const runMacro = (macro: Macro, sessionId: string, key: string, texts?: MacroRunBody['texts']) =>
  api<MacroRun>('POST', `${pathOf(macro.id, sessionId)}/run`, {
    body: { ...reader(), expectedUpdatedAt: macro.updatedAt, ...(texts && { texts }) },
    idempotencyKey: key,
  });
