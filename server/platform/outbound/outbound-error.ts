// Why an outbound call failed, in text that may appear in a delivery log: no resolved address, no stack, no text from
// the other side.

export type OutboundErrorCode =
  | 'ADDRESS_REFUSED'
  | 'BAD_REQUEST'
  | 'DNS'
  | 'CONNECT'
  /** No connection in time: nothing was sent. */
  | 'CONNECT_TIMEOUT'
  | 'TIMEOUT'
  | 'TLS'
  | 'RESET'
  | 'TOO_LARGE'
  | 'BAD_RESPONSE';

export class OutboundError extends Error {
  readonly code: OutboundErrorCode;

  constructor(code: OutboundErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OutboundError';
    this.code = code;
  }
}

// The same text for every resolved address: the log must not map an internal network.
export const addressRefused = () =>
  new OutboundError(
    'ADDRESS_REFUSED',
    'address refused: it is on a private or reserved network and OUTBOUND_ALLOW does not have it',
  );

export const timedOut = (what: string, ms: number) =>
  new OutboundError('TIMEOUT', `${what} within ${ms / 1000} s`);

export const notConnected = (ms: number) =>
  new OutboundError('CONNECT_TIMEOUT', `no connection within ${ms / 1000} s`);

/** Of an attempt to connect, where a timeout of the system means that nothing was sent. */
export function toConnectError(error: unknown): OutboundError {
  const known = toOutboundError(error);
  const { code, message } = known;
  if (code === 'TIMEOUT') return new OutboundError('CONNECT_TIMEOUT', message, { cause: error });
  return known;
}

const byCode: Record<string, [OutboundErrorCode, string]> = {
  ECONNREFUSED: ['CONNECT', 'connection refused'],
  EHOSTUNREACH: ['CONNECT', 'host unreachable'],
  ENETUNREACH: ['CONNECT', 'network unreachable'],
  ETIMEDOUT: ['TIMEOUT', 'connection timed out'],
  UND_ERR_CONNECT_TIMEOUT: ['CONNECT_TIMEOUT', 'connection timed out'],
  UND_ERR_HEADERS_TIMEOUT: ['TIMEOUT', 'no answer in time'],
  UND_ERR_BODY_TIMEOUT: ['TIMEOUT', 'the answer stalled'],
  ECONNRESET: ['RESET', 'connection reset'],
  EPIPE: ['RESET', 'connection reset'],
  UND_ERR_SOCKET: ['RESET', 'connection closed before the answer was complete'],
  UND_ERR_HEADERS_OVERFLOW: ['BAD_RESPONSE', 'the answer has too many headers'],
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: ['BAD_RESPONSE', 'the answer does not match its Content-Length'],
  UND_ERR_INVALID_ARG: ['BAD_REQUEST', 'the request cannot be sent as it is'],
  UND_ERR_REQ_CONTENT_LENGTH_MISMATCH: ['BAD_REQUEST', 'the request cannot be sent as it is'],
  UND_ERR_DESTROYED: ['CONNECT', 'the service is shutting down'],
  UND_ERR_CLOSED: ['CONNECT', 'the service is shutting down'],
};

/** OpenSSL's results have codes like CERT_HAS_EXPIRED; the code is the most useful text for an administrator. */
const tlsCode =
  /^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_|EPROTO)/;

export function toOutboundError(error: unknown): OutboundError {
  if (error instanceof OutboundError) return error;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const known = byCode[code];
  if (known) return new OutboundError(known[0], known[1], { cause: error });
  if (tlsCode.test(code)) return new OutboundError('TLS', `TLS failed: ${code}`, { cause: error });
  // undici omits the code for some errors of llhttp.
  if (error instanceof Error && error.name === 'HTTPParserError') {
    return new OutboundError('BAD_RESPONSE', 'the answer is not valid HTTP', { cause: error });
  }
  return new OutboundError('CONNECT', code ? `connection failed: ${code}` : 'connection failed', {
    cause: error,
  });
}
