/** One request to the service: network failures, and errors in the service's own format. */
import { ApiError, OfflineError } from './errors.ts';

/** `fetch` that throws OfflineError when no response arrives. An aborted request stays an AbortError. */
export async function request(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init);
  } catch (error) {
    throw asNetworkError(error);
  }
}

export const asNetworkError = (error: unknown) =>
  (error as Error).name === 'AbortError' ? error : new OfflineError();

export interface FailedResponse {
  status: number;
  statusText: string;
  contentType: string | null | undefined;
  text: string;
}

export const isJson = (contentType: string | null | undefined) =>
  contentType?.includes('application/json') === true;

/** A blocked contact's error is nested: `{ error: { code, message } }`. All others are flat. */
export function parseError({ status, statusText, contentType, text }: FailedResponse): ApiError {
  const body = isJson(contentType) ? JSON.parse(text) : {};
  const error = typeof body.error === 'object' ? body.error : body;
  const { contactId, cases, usedBy } = body;
  return new ApiError(status, error.code ?? '', error.message ?? statusText, body.requestId ?? '', {
    contactId,
    cases,
    usedBy,
  });
}

export const responseError = async (response: Response) =>
  parseError({
    status: response.status,
    statusText: response.statusText,
    contentType: response.headers.get('content-type'),
    text: await response.text(),
  });
