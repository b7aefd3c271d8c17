/** Headers that protect browsers: one for every answer of an https service, the rest for answers that are pages. */

/**
 * Behind https, browsers must not come back over http for a year. Without `includeSubDomains`: other names below this
 * host are not ours to decide about.
 */
export function transportHeaders(publicUrl: string): Record<string, string> {
  return publicUrl.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {};
}

/** Of a page that no other site may frame. Its Content-Security-Policy must say the same with `frame-ancestors`. */
export const pageHeaders = {
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
};
