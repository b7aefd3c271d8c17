/** Files to and from the service as the signed-in user, with their progress: what `api()` cannot tell of. */
import { ApiError, OfflineError } from './errors.ts';
import { currentToken, renew } from './session.ts';

/** fetch tells nothing of what has been sent so far. */
export async function uploadFile<T>(
  path: string,
  file: Blob,
  headers: { [name: string]: string },
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<T> {
  // A token that is about to end is renewed before anything is sent (currentToken); only one that was refused all the
  // same costs sending the file twice.
  const first = await post(path, file, headers, onProgress, signal);
  if (first.status !== 401) return answerOf(first) as T;
  await renew();
  return answerOf(await post(path, file, headers, onProgress, signal)) as T;
}

async function post(
  path: string,
  file: Blob,
  headers: { [name: string]: string },
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<XMLHttpRequest> {
  const token = await currentToken();
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', path);
    if (token) request.setRequestHeader('authorization', `Bearer ${token}`);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = (event) => event.lengthComputable && onProgress(event.loaded / event.total);
    request.onload = () => resolve(request);
    request.onerror = () => reject(new OfflineError());
    request.onabort = () => reject(new DOMException('cancelled', 'AbortError'));
    signal.addEventListener('abort', () => request.abort(), { once: true });
    request.send(file);
  });
}

function answerOf(request: XMLHttpRequest): unknown {
  const text = request.responseText;
  const isJson = request.getResponseHeader('content-type')?.includes('application/json');
  if (request.status < 300) return isJson ? JSON.parse(text) : text;
  throw errorOf(request.status, request.statusText, isJson ? text : '');
}

function errorOf(status: number, statusText: string, text: string): ApiError {
  const answer = text ? JSON.parse(text) : {};
  const error = typeof answer.error === 'object' ? answer.error : answer;
  return new ApiError(status, error.code ?? '', error.message ?? statusText, answer.requestId ?? '');
}

/**
 * Fetches a file and gives it to the browser to keep. It is collected first (a browser puts large blobs on the disk):
 * a link could carry no token, and a file that breaks off half-way would be kept as if it were whole.
 */
export async function downloadFile(
  path: string,
  fallbackName: string,
  { onProgress, signal }: { onProgress?(bytes: number): void; signal?: AbortSignal } = {},
): Promise<void> {
  let response = await get(path, signal);
  if (response.status === 401) {
    await renew();
    response = await get(path, signal);
  }
  if (!response.ok) throw errorOf(response.status, response.statusText, await response.text());
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  try {
    const reader = response.body!.getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      parts.push(part.value);
      bytes += part.value.length;
      onProgress?.(bytes);
    }
  } catch (error) {
    if ((error as Error).name === 'AbortError') throw error;
    throw new OfflineError();
  }
  const name = nameOf(response.headers.get('content-disposition') ?? '') ?? fallbackName;
  save(new Blob(parts, { type: response.headers.get('content-type') ?? '' }), name);
}

function nameOf(disposition: string): string | undefined {
  const extended = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
  return extended ? decodeURIComponent(extended) : /filename="([^"]+)"/.exec(disposition)?.[1];
}

async function get(path: string, signal: AbortSignal | undefined): Promise<Response> {
  const token = await currentToken();
  try {
    return await fetch(path, { signal, headers: token ? { authorization: `Bearer ${token}` } : {} });
  } catch (error) {
    if ((error as Error).name === 'AbortError') throw error;
    throw new OfflineError();
  }
}

function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads the address after the click has returned.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
