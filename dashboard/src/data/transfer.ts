/** Uploads and downloads of files as the signed-in user, with progress. */
import { OfflineError } from './errors.ts';
import { asNetworkError, isJson, parseError, request, responseError } from './http.ts';
import { withSession } from './session.ts';

/** XMLHttpRequest, because fetch reports no upload progress. A 401 costs sending the file twice. */
export async function uploadFile<T>(
  path: string,
  file: Blob,
  headers: { [name: string]: string },
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<T> {
  const answer = await withSession((token) =>
    send(
      'POST',
      path,
      file,
      { ...headers, ...(token && { authorization: `Bearer ${token}` }) },
      onProgress,
      signal,
    ),
  );
  const contentType = answer.getResponseHeader('content-type');
  rejectError(answer);
  return isJson(contentType) ? JSON.parse(answer.responseText) : (answer.responseText as T);
}

/** To an address that the service has signed, perhaps of a bucket: it gets no token. */
export async function putFile(
  url: string,
  file: Blob,
  contentType: string,
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<void> {
  rejectError(await send('PUT', url, file, { 'content-type': contentType }, onProgress, signal));
}

function rejectError(answer: XMLHttpRequest): void {
  const { status, statusText, responseText: text } = answer;
  const contentType = answer.getResponseHeader('content-type');
  if (status >= 300) throw parseError({ status, statusText, contentType, text });
}

function send(
  method: 'POST' | 'PUT',
  path: string,
  file: Blob,
  headers: { [name: string]: string },
  onProgress: (share: number) => void,
  signal: AbortSignal,
): Promise<XMLHttpRequest> {
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    xhr.open(method, path);
    for (const [name, value] of Object.entries(headers)) xhr.setRequestHeader(name, value);
    xhr.upload.onprogress = (event) => event.lengthComputable && onProgress(event.loaded / event.total);
    xhr.onload = () => resolve(xhr);
    xhr.onerror = () => reject(new OfflineError());
    xhr.onabort = () => reject(new DOMException('cancelled', 'AbortError'));
    signal.addEventListener('abort', () => xhr.abort(), { once: true });
    xhr.send(file);
  });
}

/**
 * Downloads a file and lets the browser save it. It is collected first (browsers put large blobs on disk): a link carries
 * no token, and an interrupted download would be saved as if it were complete.
 */
export async function downloadFile(
  path: string,
  fallbackName: string,
  { onProgress, signal }: { onProgress?(bytes: number): void; signal?: AbortSignal } = {},
): Promise<void> {
  const response = await withSession((token) =>
    request(path, { signal, headers: token ? { authorization: `Bearer ${token}` } : {} }),
  );
  if (!response.ok) throw await responseError(response);
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
    throw asNetworkError(error);
  }
  const name = nameOf(response.headers.get('content-disposition') ?? '') ?? fallbackName;
  save(new Blob(parts, { type: response.headers.get('content-type') ?? '' }), name);
}

function nameOf(disposition: string): string | undefined {
  const extended = /filename\*=UTF-8''([^;]+)/i.exec(disposition)?.[1];
  return extended ? decodeURIComponent(extended) : /filename="([^"]+)"/.exec(disposition)?.[1];
}

/** Offers it as a file. */
export function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads the URL after the click handler returns.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
