/**
 * Whether a page of this origin may connect. Browsers always send the true origin of a page; a client without one is
 * not a browser, and has only its ticket.
 */
const loopback = /^(127\.0\.0\.1|localhost|\[::1\])$/;

export function isAllowedOrigin(
  origin: string | undefined,
  { publicUrl, allowedOrigins }: { publicUrl: string; allowedOrigins: readonly string[] },
): boolean {
  if (origin === undefined) return true;
  const own = new URL(publicUrl);
  if (origin === own.origin || allowedOrigins.includes(origin)) return true;
  // On the local machine the service is opened by any of its names.
  if (!loopback.test(own.hostname)) return false;
  const asked = URL.parse(origin);
  return (
    asked !== null &&
    asked.origin === origin &&
    asked.protocol === own.protocol &&
    loopback.test(asked.hostname) &&
    asked.port === own.port
  );
}
