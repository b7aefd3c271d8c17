/** Headers that protect browsers: one for every response of an https service, the rest for pages. */

/**
 * Behind https, browsers must not use http for a year. Without `includeSubDomains`: other names below this host are
 * not ours to decide.
 */
export function transportHeaders(publicUrl: string): Record<string, string> {
  return publicUrl.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {};
}

/** For a page that no other site may frame. Its Content-Security-Policy must say the same with `frame-ancestors`. */
export const pageHeaders = {
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
};
