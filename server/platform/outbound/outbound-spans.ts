/** Calls to others as spans of the running trace. They carry it on in `traceparent`. */
import { currentTrace, inSpan, type Span } from '../telemetry/tracing.ts';

/** Of the address only the host is recorded: some providers have a secret in the path. */
export function inCallSpan<T>(
  method: string,
  url: string,
  call: (span: Span, headers: Record<string, string>) => Promise<T>,
): Promise<T> {
  const { hostname = '', port = '', protocol = '' } = URL.parse(url) ?? {};
  const attributes = {
    'http.request.method': method,
    'server.address': hostname,
    'server.port': Number(port) || (protocol === 'https:' ? 443 : 80),
  };
  return inSpan({ name: method, kind: 'client', attributes }, (span) => {
    const traceparent = currentTrace();
    return call(span, traceparent === null ? {} : { traceparent });
  });
}

export function noteStatus(span: Span, status: number): void {
  span.set({ 'http.response.status_code': status });
  if (status >= 400) span.fail(String(status));
}
