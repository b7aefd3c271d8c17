/** Headers that protect browsers: for every response, of an https service, and of pages. */

/**
 * Behind https, browsers must not use http for a year. Without `includeSubDomains`: other names below this host are
 * not ours to decide.
 */
export function transportHeaders(publicUrl: string): Record<string, string> {
  return publicUrl.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {};
}

/** Answers have people's data. What may be kept or shown as something else says so itself. */
export const answerHeaders = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** For a page that no other site may frame. Its Content-Security-Policy must say the same with `frame-ancestors`. */
export const pageHeaders = {
  'cache-control': 'no-cache',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
};
